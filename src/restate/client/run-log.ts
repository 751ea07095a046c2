/** The event log of a run for its readers: events from the journals, and deltas that workers stream beside them. */
import { EventLog } from '../../runtime/handle/event-log.ts'
import type { ModelCallEnd } from '../../runtime/handle/run-event.ts'
import { Attempts } from '../deltas/attempts.ts'
import type { WorkerDelta } from '../deltas/deltas.ts'

export class RunLog extends EventLog {
  readonly #attempts = new Attempts()

  /** Takes a delta from a worker. */
  hear(heard: WorkerDelta): void {
    const admitted = this.#attempts.admit(heard)
    if (admitted !== undefined) this.stream(admitted.delta, admitted.isFirst)
  }

  override conclude(message: ModelCallEnd): void {
    this.#attempts.conclude(message.messageId)
    super.conclude(message)
  }
}
