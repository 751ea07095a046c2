/** The time of one call: it stands still while the server waits for this program, such as for the answer of a person. */
import { startTimer } from '../../kit/index.ts'
import type { Session } from '../connection/session.ts'

export interface CallClock {
  /** Fires when the time is up. */
  readonly signal: AbortSignal
  /** Gives the whole time again. */
  restart(): void
  /** Lets go of the timer. */
  stop(): void
}

/** `session` is absent for a client of which no session is known: its clock never stands still. */
export function startClock(timeout: number, session: Session | undefined): CallClock {
  const controller = new AbortController()
  let stopTimer: () => void = () => undefined
  const restart = (): void => {
    stopTimer()
    if (session?.isAsking !== true) stopTimer = startTimer(timeout, () => controller.abort())
  }
  const ignore = session?.onAsking(restart)
  restart()
  return {
    signal: controller.signal,
    restart,
    stop: () => {
      ignore?.()
      stopTimer()
    },
  }
}
