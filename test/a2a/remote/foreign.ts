/** A server of another make: it answers with tasks that a test writes as JSON. */
import { agentCard } from 'troupe/a2a'
import { worker } from '../../support/agents/agents.ts'

type Json = Readonly<Record<string, unknown>>

/** A message to the server, in the form of JSON. */
export interface HeardMessage {
  readonly messageId: string
  readonly taskId?: string
  readonly parts: readonly Json[]
}

export interface Foreign {
  readonly fetch: typeof fetch
  readonly heard: readonly HeardMessage[]
}

/** `states`: the states of the task, each until the next message, beginning with the first one. */
export function foreign(states: readonly Json[]): Foreign {
  const heard: HeardMessage[] = []
  const card = agentCard(worker('foreign', []).agent, {
    endpoints: [{ url: 'http://partner.test/a2a', binding: 'JSONRPC' }],
    streaming: false,
  })
  const task = () => ({ id: 't', contextId: 'c', history: heard, ...states[Math.max(0, heard.length - 1)] })
  const results: Readonly<Record<string, (params: Json) => unknown>> = {
    SendMessage: ({ message }) => {
      heard.push(message as HeardMessage)
      return { task: task() }
    },
    GetTask: task,
    CancelTask: task,
    ListTasks: () => ({ tasks: heard.length === 0 ? [] : [task()], nextPageToken: '' }),
  }
  return {
    heard,
    fetch: async (target, init) => {
      const request = new Request(target, init)
      if (request.method === 'GET') return Response.json(card)
      const { id, method, params } = (await request.json()) as {
        readonly id: number
        readonly method: string
        readonly params: Json
      }
      return Response.json({ jsonrpc: '2.0', id, result: results[method]?.(params) })
    },
  }
}

export function said(...parts: readonly Json[]) {
  return { message: { messageId: crypto.randomUUID(), role: 'ROLE_AGENT', parts } }
}
