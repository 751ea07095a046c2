/** What may serve as a model, what the driver of OpenAI takes, and what errors and stores look like. */
import {
  createAgent,
  createTroupe,
  memoryStore,
  openai,
  RetryableError,
  TerminalError,
  type ChatModel,
  type Clock,
  type ErrorCode,
  type ErrorData,
  type Message,
  type ModelReply,
  type ToolDescription,
} from 'troupe'
import { expectType } from './expect-type.ts'

// Any object of the shape is a model.
const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
const echo: ChatModel = {
  provider: 'here',
  modelId: 'echo',
  async generate(request, { signal, idempotencyKey, onDelta }) {
    expectType<readonly Message[]>()(request.messages)
    expectType<readonly ToolDescription[]>()(request.tools)
    expectType<'auto' | 'none' | 'required' | { readonly tool: string }>()(request.toolChoice)
    expectType<AbortSignal>()(signal)
    expectType<string>()(idempotencyKey)
    onDelta?.({ type: 'text', text: 'a' })
    // @ts-expect-error there is no such delta
    onDelta?.({ type: 'image', text: 'a' })
    return { text: 'a', toolCalls: [], finishReason: 'stop', usage }
  },
}
createAgent({ id: 'a', instructions: '', model: echo })
// @ts-expect-error a reply says why it ended
export const reply: ModelReply = { text: 'a', toolCalls: [], usage }
// @ts-expect-error not one of the reasons
export const ended: ModelReply = { text: 'a', toolCalls: [], finishReason: 'tool_calls', usage }
// @ts-expect-error a model is not a function
createAgent({ id: 'a', instructions: '', model: async () => 'a' })

export function roles(message: Message): void {
  if (message.role === 'tool') expectType<string>()(message.toolCallId)
  // @ts-expect-error only an assistant calls tools
  if (message.role === 'user') void message.toolCalls
  // @ts-expect-error there is no such role
  if (message.role === 'developer') return
}

openai('gpt-5-mini', { api: 'responses', timeout: 1_000, baseURL: 'http://localhost/v1', apiKey: 'k' })
// @ts-expect-error not one of the APIs
openai('gpt-5-mini', { api: 'assistants' })
// @ts-expect-error there is no such option
openai('gpt-5-mini', { base_url: 'http://localhost/v1' })
// @ts-expect-error which model
openai()

const retry = new RetryableError('busy', { code: 'BUSY' })
expectType<ErrorCode>()(retry.code)
export const thrown: Error = new TerminalError('no', { code: 'NO' })
export const data: ErrorData = { name: 'E', code: 'C', message: 'm' }
// @ts-expect-error an error has a code
export const codeless: ErrorData = { name: 'E', message: 'm' }

const clock: Clock = { now: () => 0, after: () => () => undefined }
createTroupe({ agents: [], store: memoryStore(), clock, inspect: ({ type }) => void type })
// @ts-expect-error a store has methods
createTroupe({ agents: [], store: 'runs.db' })
// @ts-expect-error there is no such option
createTroupe({ agents: [], logger: console })
