/** The end of a troupe within a deadline, also where its store does not answer. */
import { TroupeError } from '../../../errors.ts'
import { noContext } from '../../async-context.ts'
import type { Clock } from '../../clock.ts'

interface Closing {
  /** Releases all runs. */
  readonly close: () => Promise<void>
  /** Rejects whoever still waits for a run, without the store. */
  readonly giveUp: () => void
}

/** Rejects as `close` does, and with a `TroupeError` of the code `CLOSE_TIMEOUT`. */
export function closeWithin(clock: Clock, deadline: number, { close, giveUp }: Closing): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      giveUp()
      const message = `The troupe did not close within ${deadline} ms. Runs that it has not released are free when their leases run out.`
      reject(new TroupeError('CLOSE_TIMEOUT', message))
    }
    const callOff = noContext.run(() => clock.after(deadline, end))
    close().then(resolve, reject).finally(callOff)
  })
}
