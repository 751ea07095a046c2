/** Counts the time since the last row of a run that is followed, while something is under way or a person is waited for. */
import { effect } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { RunSession } from '../connection/run-session.ts'

const second = 1_000

export function useTail(session: RunSession): void {
  useEffect(
    () =>
      effect(() => {
        const model = session.model.value
        const last = model.rows[model.length.value - 1]?.at
        const isFollowed = session.feed.value.state === 'live' && session.run.value?.status !== 'settled'
        const isCounting = isFollowed && (model.axis.isAtWork || model.axis.isWaiting)
        if (!isCounting || last === undefined) {
          model.tail.value = undefined
          return undefined
        }
        const count = (): void => void (model.tail.value = Math.max(0, Date.now() - last))
        count()
        const timer = setInterval(count, second)
        return () => clearInterval(timer)
      }),
    [session],
  )
}
