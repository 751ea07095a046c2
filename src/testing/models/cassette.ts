/**
 * A cassette: the calls of a model as a text that a person can read. A call that goes on with the conversation of an
 * earlier one holds only what came after it, and a list of tools stands once.
 */
import { z } from 'zod'
import type { ModelReply, ModelRequest, ResponseFormat, ToolDescription } from '../../actors/chat-model.ts'
import type { Message } from '../../actors/message.ts'
import { digestText } from '../../actors/values/digest.ts'
import { isRecord } from '../../actors/values/json.ts'
import { ConfigurationError, type ErrorData } from '../../errors.ts'

/** One call, and how it ended. */
export interface CassetteCall {
  readonly request: ModelRequest
  readonly outcome: CallOutcome
}

export type CallOutcome =
  | { readonly type: 'replied'; readonly reply: ModelReply }
  | { readonly type: 'failed'; readonly error: ErrorData }
  /** The run let the call go, for example at a deadline. */
  | { readonly type: 'aborted' }

export interface Cassette {
  readonly provider: string
  readonly modelId: string
  readonly calls: readonly CassetteCall[]
}

const version = 1

const record = <Value extends object>(what: string) => z.custom<Value>((given) => isRecord(given), what)

const writtenCall = z.strictObject({
  /** The number of the call, from 1, whose messages come first. */
  continues: z.int().positive().optional(),
  messages: z.array(record<Message>('a message')),
  tools: z.string().optional(),
  toolChoice: z.union([z.enum(['auto', 'none', 'required']), z.strictObject({ tool: z.string() })]),
  responseFormat: record<ResponseFormat>('a response format').optional(),
  reply: record<ModelReply>('a reply').optional(),
  error: record<ErrorData>('an error').optional(),
  aborted: z.literal(true).optional(),
})

const written = z.strictObject({
  cassette: z.literal(version),
  provider: z.string(),
  modelId: z.string(),
  tools: z.record(z.string(), z.array(record<ToolDescription>('a description of a tool'))),
  calls: z.array(writtenCall),
})

type WrittenCall = z.infer<typeof writtenCall>

export function writeCassette({ provider, modelId, calls }: Cassette): string {
  const tools: Record<string, readonly ToolDescription[]> = {}
  const lines = calls.map(({ request, outcome }, index) => {
    const { messages, responseFormat, toolChoice } = request
    const before = calls.slice(0, index).map((call) => call.request.messages)
    const continued = longestStart(messages, before)
    const known = continued === undefined ? 0 : (before[continued]?.length ?? 0)
    const digest = digestText(JSON.stringify(request.tools))
    if (request.tools.length > 0) tools[digest] = request.tools
    return {
      ...(continued === undefined ? {} : { continues: continued + 1 }),
      messages: messages.slice(known),
      ...(request.tools.length === 0 ? {} : { tools: digest }),
      toolChoice,
      ...(responseFormat === undefined ? {} : { responseFormat }),
      ...writtenOutcome(outcome),
    }
  })
  return `${JSON.stringify({ cassette: version, provider, modelId, tools, calls: lines }, null, 1)}\n`
}

function writtenOutcome(outcome: CallOutcome): Pick<WrittenCall, 'reply' | 'error' | 'aborted'> {
  switch (outcome.type) {
    case 'replied':
      return { reply: outcome.reply }
    case 'failed':
      return { error: outcome.error }
    case 'aborted':
      return { aborted: true }
  }
}

/** The place of the conversation that `messages` goes on with: the longest one. */
function longestStart(
  messages: readonly Message[],
  all: readonly (readonly Message[])[],
): number | undefined {
  let best: number | undefined
  for (const [index, start] of all.entries()) {
    if (start.length === 0 || start.length > messages.length) continue
    const isStart = JSON.stringify(messages.slice(0, start.length)) === JSON.stringify(start)
    if (isStart && start.length > (best === undefined ? 0 : (all[best]?.length ?? 0))) best = index
  }
  return best
}

/** Throws a `ConfigurationError` for a text that is no cassette. */
export function readCassette(text: string, where: string): Cassette {
  const read = written.safeParse(parsed(text))
  if (!read.success) {
    const [issue] = read.error.issues
    const place = issue === undefined || issue.path.length === 0 ? '' : ` (${issue.path.join('.')})`
    throw new ConfigurationError(`${where}: the text is no cassette: ${issue?.message ?? 'unknown'}${place}.`)
  }
  const { provider, modelId, tools, calls } = read.data
  const requests: ModelRequest[] = []
  for (const [index, { continues, messages, toolChoice, responseFormat, tools: key }] of calls.entries()) {
    const before = continues === undefined ? undefined : requests[continues - 1]
    const known = key === undefined ? [] : tools[key]
    if ((continues !== undefined && before === undefined) || known === undefined) {
      throw new ConfigurationError(
        `${where}: the text is no cassette: call ${index + 1} refers to a part that is missing.`,
      )
    }
    requests.push({
      messages: [...(before?.messages ?? []), ...messages],
      tools: known,
      toolChoice,
      ...(responseFormat === undefined ? {} : { responseFormat }),
    })
  }
  return {
    provider,
    modelId,
    calls: requests.map((request, index) => ({
      request,
      outcome: outcomeOf(calls[index], `${where}: call ${index + 1}`),
    })),
  }
}

function outcomeOf(call: WrittenCall | undefined, where: string): CallOutcome {
  if (call?.reply !== undefined) return { type: 'replied', reply: call.reply }
  if (call?.error !== undefined) return { type: 'failed', error: call.error }
  if (call?.aborted === true) return { type: 'aborted' }
  throw new ConfigurationError(`${where} has neither a reply nor an error.`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // `written` refuses it
  }
}
