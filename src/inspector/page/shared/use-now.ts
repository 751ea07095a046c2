/** The time of this place, told again each second while something counts on. */
import { useEffect, useState } from 'preact/hooks'

const second = 1_000

export function useNow(isCounting: boolean): number {
  const [now, set] = useState(Date.now)
  useEffect(() => {
    if (!isCounting) return undefined
    set(Date.now())
    const timer = setInterval(() => set(Date.now()), second)
    return () => clearInterval(timer)
  }, [isCounting])
  return now
}
