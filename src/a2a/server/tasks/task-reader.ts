/**
 * One reader of the stream of a task, which may leave at any time. While it is slow, lines of progress are coalesced: of many that
 * wait, the newest is kept.
 */
import { TaskState, type StreamResponse } from '@a2a-js/sdk'
import type { AgentExecutionEvent } from '@a2a-js/sdk/server'
import type { TaskListener } from './task-events.ts'

/** The number of waiting events from which on one line of progress takes the place of the line before. */
const mostWaiting = 1_000

export class TaskReader implements TaskListener {
  readonly #events: AgentExecutionEvent[] = []
  #isOver = false
  #wake = Promise.withResolvers<void>()

  publish(event: AgentExecutionEvent): void {
    const last = this.#events.at(-1)
    const isCrowded = this.#events.length >= mostWaiting
    if (isCrowded && isProgress(event) && last !== undefined && isProgress(last)) this.#events.pop()
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

function isProgress(event: AgentExecutionEvent): boolean {
  return event.kind === 'statusUpdate' && event.data.status?.state === TaskState.TASK_STATE_WORKING
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
