/** The event log of a run in its worker, without readers. It publishes streamed deltas; the journal has all else. */
import { EventLog, type StreamedDelta } from '../../runtime/handle/event-log.ts'
import type { Reporter } from '../../runtime/report.ts'
import { safely } from '../../runtime/engine/safe-observers.ts'
import type { DeltaSink, WorkerDelta } from './deltas.ts'

export class DeltaLog extends EventLog {
  readonly #publish: ((delta: WorkerDelta) => void) | undefined
  readonly #execution = crypto.randomUUID()
  /** The number of deltas, by message and type. */
  readonly #counts = new Map<string, number>()

  constructor(sink: DeltaSink | undefined, report: Reporter) {
    super()
    this.#publish = sink && safely('publish of deltas', (delta) => sink.publish(delta), report)
  }

  override publish(): void {
    // Readers derive the event from the journal.
  }

  override stream(delta: StreamedDelta, isFirst: boolean): void {
    if (this.#publish === undefined) return
    const key = `${delta.type} ${delta.messageId}`
    const index = isFirst ? 0 : (this.#counts.get(key) ?? 0)
    this.#counts.set(key, index + 1)
    this.#publish({ ...delta, index, execution: this.#execution })
  }
}
