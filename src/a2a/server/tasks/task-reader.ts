/** One reader of the stream of a task, which may leave at any time. */
import type { StreamResponse } from '@a2a-js/sdk'
import type { AgentExecutionEvent } from '@a2a-js/sdk/server'
import type { TaskListener } from './task-events.ts'

export class TaskReader implements TaskListener {
  readonly #events: AgentExecutionEvent[] = []
  #isOver = false
  #wake = Promise.withResolvers<void>()

  publish(event: AgentExecutionEvent): void {
    this.#events.push(event)
    this.#wake.resolve()
  }

  /** No further event comes, or the reader has left. */
  finished(): void {
    this.#isOver = true
    this.#wake.resolve()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<StreamResponse, void> {
    for (;;) {
      const event = this.#events.shift()
      if (event !== undefined) yield responseOf(event)
      else if (this.#isOver) return
      else {
        await this.#wake.promise
        this.#wake = Promise.withResolvers()
      }
    }
  }
}

function responseOf(event: AgentExecutionEvent): StreamResponse {
  switch (event.kind) {
    case 'task':
      return { payload: { $case: 'task', value: event.data } }
    case 'statusUpdate':
      return { payload: { $case: 'statusUpdate', value: event.data } }
    case 'artifactUpdate':
      return { payload: { $case: 'artifactUpdate', value: event.data } }
    case 'message':
      return { payload: { $case: 'message', value: event.data } }
  }
}
