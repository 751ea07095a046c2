/** The events of one task: each is stored, and then told to the requests that wait for it. */
import {
  DefaultExecutionEventBus,
  ResultManager,
  type AgentExecutionEvent,
  type ExecutionEventBus,
  type ServerCallContext,
  type TaskStore,
} from '@a2a-js/sdk/server'

export class TaskEvents {
  readonly #stored: ResultManager
  readonly #buses = new Set<ExecutionEventBus>()

  /** `context`: of the owner of the task. */
  constructor(tasks: TaskStore, context: ServerCallContext) {
    this.#stored = new ResultManager(tasks, context)
  }

  join(bus: ExecutionEventBus): void {
    this.#buses.add(bus)
  }

  /** A bus that leaves with its last listener. */
  observer(): ExecutionEventBus {
    const bus = new ObserverBus(() => this.#buses.delete(bus))
    this.#buses.add(bus)
    return bus
  }

  /** A client that has left its stream does not keep an event from the store. */
  async publish(event: AgentExecutionEvent): Promise<void> {
    await this.#stored.processEvent(event)
    for (const bus of this.#buses) bus.publish(event)
  }

  /** No further event comes. */
  finish(): void {
    for (const bus of this.#buses) bus.finished()
    this.#buses.clear()
  }
}

class ObserverBus extends DefaultExecutionEventBus {
  readonly #left: () => void

  constructor(left: () => void) {
    super()
    this.#left = left
  }

  /** A reader that leaves takes all its listeners along. */
  override removeEventListener(...listener: Parameters<EventTarget['removeEventListener']>): void {
    super.removeEventListener(...listener)
    this.#left()
  }
}
