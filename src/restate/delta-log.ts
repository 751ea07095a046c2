/** The event log of a run in its worker: nobody reads there. What is streamed goes on its way, the rest is in the journal. */
import { EventLog, type StreamedDelta } from '../runtime/event-log.ts'
import type { DeltaSink } from './deltas.ts'

export class DeltaLog extends EventLog {
  readonly #sink: DeltaSink | undefined
  readonly #attempt = Date.now()

  constructor(sink: DeltaSink | undefined) {
    super()
    this.#sink = sink
  }

  override publish(): void {
    // It is told again, from the journal, by whoever reads along.
  }

  override stream(delta: StreamedDelta, isFirst: boolean): void {
    this.#sink?.publish({ ...delta, isFirst, attempt: this.#attempt })
  }
}
