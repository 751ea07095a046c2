/**
 * The wire of `useChat`, read by the AI SDK: its transport validates each chunk, and `readUIMessageStream` makes a message of
 * them. A page that comes to a run under way reads it from its beginning.
 */
import {
  DefaultChatTransport,
  isToolUIPart,
  readUIMessageStream,
  type UIMessage,
  type UIMessageChunk,
} from 'ai'
import type { Handler } from 'troupe/http'
import type { Reading } from './read.ts'

export async function readByAiSdk(
  handler: Handler,
  { agent, conversationId: chatId, task, answer }: Reading,
): Promise<string> {
  const transport = transportOf(handler, agent.id)
  const user: UIMessage = { id: 'task', role: 'user', parts: [{ type: 'text', text: task }] }
  const send = (...messages: UIMessage[]): Promise<ReadableStream<UIMessageChunk>> =>
    transport.sendMessages({
      chatId,
      trigger: 'submit-message',
      messageId: undefined,
      messages,
      abortSignal: undefined,
    })
  const underWay = () => transport.reconnectToStream({ chatId })

  // A run without a model call may have ended before: the page then sends the task itself.
  let message = await lastOf((await underWay()) ?? (await send(user)))
  while (statusOf(message) === 'suspended') {
    const asked = message.parts.filter(isToolUIPart).filter(({ state }) => state === 'approval-requested')
    // What a tool asks is answered by another wire: the page comes back, and finds the run going on.
    const stream = asked.length > 0 ? await send(user, answered(message, answer)) : await underWay()
    message = stream === null ? message : await lastOf(stream, asked.length > 0 ? message : undefined)
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  return lastTextOf(message)
}

/** Reads a run that has ended, as a page does that makes the messages of its chat. */
export async function readAgainByAiSdk(
  handler: Handler,
  { agent, conversationId: chatId, runId }: Reading,
): Promise<string> {
  const stream = await transportOf(handler, agent.id, `?runId=${runId}`).reconnectToStream({ chatId })
  if (stream === null) throw new Error('The run is not there.')
  return lastTextOf(await lastOf(stream))
}

/** `query`: of a page that comes back. */
function transportOf(handler: Handler, agentId: string, query = ''): DefaultChatTransport<UIMessage> {
  return new DefaultChatTransport({
    api: `http://server.test/agents/${agentId}/chat`,
    fetch: async (url, init) => handler(new Request(url, init)),
    prepareReconnectToStreamRequest: ({ api, id }) => ({ api: `${api}/${id}/stream${query}` }),
  })
}

function lastTextOf({ parts }: UIMessage): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).at(-1) ?? ''
}

async function lastOf(stream: ReadableStream<UIMessageChunk>, before?: UIMessage): Promise<UIMessage> {
  let last: UIMessage | undefined
  const messages = readUIMessageStream({
    stream,
    terminateOnError: true,
    ...(before === undefined ? {} : { message: before }),
  })
  for await (const message of messages) last = message
  if (last === undefined) throw new Error('The stream has no message.')
  return last
}

function statusOf({ metadata }: UIMessage): unknown {
  return (metadata as { readonly status?: unknown } | undefined)?.status
}

function answered(message: UIMessage, answer: Reading['answer']): UIMessage {
  const parts = message.parts.map((part) => {
    if (!isToolUIPart(part) || part.state !== 'approval-requested') return part
    const { toolCallId } = part
    const signal = answer({ toolCallId })
    const reason = signal.type === 'deny' && signal.reason !== undefined ? { reason: signal.reason } : {}
    const approval = { id: part.approval.id, approved: signal.type === 'approve', ...reason }
    return { ...part, state: 'approval-responded' as const, approval }
  })
  return { ...message, parts }
}
