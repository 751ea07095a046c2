/** The event log of a run in its worker, without readers. It publishes streamed deltas; the journal has all else. */
import { EventLog } from '../../runtime/handle/event-log.ts'
import type { StreamedEvent } from '../../runtime/handle/run-event.ts'
import type { Reporter } from '../../runtime/report.ts'
import { safely } from '../../runtime/state/safe-observers.ts'
import { deltaKey, type DeltaSink, type WorkerDelta } from './deltas.ts'

export class DeltaLog extends EventLog {
  readonly #publish: ((delta: WorkerDelta) => void) | undefined
  readonly #execution = crypto.randomUUID()
  /** The number of deltas, by message and key. */
  readonly #counts = new Map<string, number>()

  constructor(sink: DeltaSink | undefined, report: Reporter) {
    super()
    this.#publish = sink && safely('publish of deltas', (delta) => sink.publish(delta), report)
  }

  override publish(): void {
    // Readers derive the event from the journal.
  }

  override stream(delta: StreamedEvent, isFirst: boolean): void {
    if (this.#publish === undefined) return
    const key = `${deltaKey(delta)} ${delta.messageId}`
    const index = isFirst ? 0 : (this.#counts.get(key) ?? 0)
    this.#counts.set(key, index + 1)
    this.#publish({ ...delta, index, execution: this.#execution })
  }
}
