/** Wakes passivated runs when a timer of them is due. An alarm stays until its run is woken, or is not to be woken. */
import { LeaseLostError, RunNotFoundError, RunOwnedError } from '../../errors.ts'
import { noContext } from '../async-context.ts'
import type { RunHost } from '../run/run-host.ts'
import { isOutage } from '../store-outage.ts'

type AlarmHost = Pick<RunHost, 'environment' | 'clock' | 'isOpen' | 'otherProtocols' | 'report' | 'wake'>

interface Alarm {
  readonly at: number
  callOff: () => void
}

export interface WakeAlarmsOptions {
  /** A troupe that no caller can reach any more must not keep the process alive. */
  readonly isAlone: boolean
  /** Milliseconds before the first further attempt; each later pause is twice as long, up to a minute. */
  readonly pollInterval: number
}

/** Milliseconds. */
const longestPause = 60_000

export class WakeAlarms {
  readonly #host: AlarmHost
  readonly #options: WakeAlarmsOptions
  readonly #alarms = new Map<string, Alarm>()

  constructor(host: AlarmHost, options: WakeAlarmsOptions) {
    this.#host = host
    this.#options = options
  }

  /** Wakes the run at `at` (milliseconds since 1970), in place of the time that was set before; `undefined`: never. */
  set(runId: string, at: number | undefined): void {
    if (this.#alarms.get(runId)?.at === at) return
    this.callOff(runId)
    if (at === undefined) return
    const { clock } = this.#host
    const ring = (): void => void this.#ring(runId, alarm, 1)
    const delay = Math.max(0, at - clock.now())
    const background = this.#options.isAlone
    const alarm: Alarm = { at, callOff: noContext.run(() => clock.after(delay, ring, { background })) }
    this.#alarms.set(runId, alarm)
  }

  async #ring(runId: string, alarm: Alarm, attempt: number): Promise<void> {
    const isOver = await this.#wake(runId, attempt)
    if (this.#alarms.get(runId) !== alarm) return
    if (isOver) {
      this.#alarms.delete(runId)
      return
    }
    const { isAlone, pollInterval } = this.#options
    const pause = Math.min(longestPause, pollInterval * 2 ** (attempt - 1))
    const again = (): void => void this.#ring(runId, alarm, attempt + 1)
    alarm.callOff = this.#host.environment.clock.after(pause, again, { background: isAlone })
  }

  /** Gives whether the run was woken or is not to be woken; otherwise the store did not answer. */
  async #wake(runId: string, attempt: number): Promise<boolean> {
    const host = this.#host
    try {
      await host.wake(runId)
      return true
    } catch (error) {
      if (!host.isOpen || isElsewhere(error)) return true
      if (host.otherProtocols.note(runId, error) === 'known') return true
      const isAway = isOutage(error)
      if (!isAway || attempt === 1) {
        const message = `the run "${runId}" could not be revived${isAway ? '; trying again' : ''}`
        host.report({ message, code: 'RUN_NOT_REVIVED', where: 'run', error, runId })
      }
      return !isAway
    }
  }

  callOff(runId: string): void {
    this.#alarms.get(runId)?.callOff()
    this.#alarms.delete(runId)
  }

  clear(): void {
    for (const { callOff } of this.#alarms.values()) callOff()
    this.#alarms.clear()
  }
}

/** Another troupe has the run, or has brought it to its end, and it was deleted. */
function isElsewhere(error: unknown): boolean {
  return (
    error instanceof RunOwnedError || error instanceof LeaseLostError || error instanceof RunNotFoundError
  )
}
