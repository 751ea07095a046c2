/** The time, once a second while something goes on. */
import { useEffect, useState } from 'preact/hooks'

/** `undefined` while nothing goes on. Milliseconds since 1970. */
export function useNow(isGoingOn: boolean): number | undefined {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (!isGoingOn) return undefined
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [isGoingOn])
  return isGoingOn ? now : undefined
}
