/** The chat so far, as the messages of `useChat`: the server has it, and the page keeps nothing. */
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai'
import { handler, troupe } from './bureau.ts'

export interface History {
  readonly messages: UIMessage[]
  /** The run whose answer is being written: the page reads it from its beginning. */
  readonly underWay?: string
}

export async function historyOf(chatId: string, visitor: string): Promise<History> {
  const { items } = await troupe.runs({ conversationId: chatId, resourceId: visitor, order: 'oldest' })
  const messages: UIMessage[] = []
  for (const { runId, status } of items) {
    messages.push(await questionOf(runId))
    if (status === 'running') return { messages, underWay: runId }
    messages.push(...(await answerOf(chatId, visitor, runId)))
  }
  return { messages }
}

async function questionOf(runId: string): Promise<UIMessage> {
  const id = `${runId}-question`
  for await (const event of troupe.watch(runId)) {
    if (event.type === 'run-start')
      return { id, role: 'user', parts: [{ type: 'text', text: event.payload.task }] }
  }
  throw new Error(`The run ${runId} has no beginning.`)
}

/** The message of a run, read as a page reads it. */
async function answerOf(chatId: string, visitor: string, runId: string): Promise<readonly UIMessage[]> {
  const transport = new DefaultChatTransport({
    api: 'http://in-this-process/api/chat/agents/bureau/chat',
    headers: { cookie: `visitor=${visitor}` },
    fetch: async (url, init) => handler(new Request(url, init)),
    prepareReconnectToStreamRequest: ({ api, id }) => ({ api: `${api}/${id}/stream?runId=${runId}` }),
  })
  const stream = await transport.reconnectToStream({ chatId })
  if (stream === null) return []
  let last: UIMessage | undefined
  for await (const message of readUIMessageStream({ stream })) last = message
  return last === undefined ? [] : [last]
}
