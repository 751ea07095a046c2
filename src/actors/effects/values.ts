/** The shapes of values that several effects take or give: messages, replies of models, errors, scopes. */
import { z } from 'zod'
import { readResponse, type ModelResponse } from '../chat-model.ts'
import { contentSchema, filePartSchema, sourceSchema } from '../content/content-schema.ts'
import type { CalledModel, ErrorData } from '../../errors.ts'
import type { Message } from '../message.ts'
import type { Tripwire } from '../processor.ts'
import { knownKeys, strictShape } from '../strict/shape.ts'
import { Toolset } from '../toolset/toolset.ts'
import { reportedUsage, type Usage } from '../usage.ts'
import { AppendLog } from '../values/append-log.ts'
import { isRecord, type JsonValue } from '../values/json.ts'
import { copyAsJson } from '../values/to-json.ts'

export type EffectValues = ReturnType<typeof effectValues>

export function effectValues() {
  const json: z.ZodType<JsonValue> = z.json()

  /** A user's driver may pass dates, or fields that are undefined: they become JSON. Absent arguments are `{}`. */
  const args = z
    .unknown()
    .optional()
    .transform((value, context) => {
      const copy = copyAsJson(value === undefined ? {} : value, 'args')
      if (copy.ok) return copy.value
      context.addIssue({ code: 'custom', message: copy.problem })
      return z.NEVER
    })

  /** Made by a driver: it becomes JSON as arguments do. */
  const providerData = z
    .unknown()
    .transform((value, context) => {
      const copy = copyAsJson(value, 'providerData')
      if (copy.ok) return copy.value
      context.addIssue({ code: 'custom', message: copy.problem })
      return z.NEVER
    })
    .optional()

  const toolCall = z.object({
    id: z.string().catch(''),
    name: z.string(),
    args,
    malformed: z.string().optional(),
    providerData,
  })

  const content = contentSchema()
  const files = z.array(filePartSchema()).readonly()

  const response: z.ZodType<ModelResponse | undefined> = z.unknown().optional().transform(readResponse)

  const usage: z.ZodType<Usage> = z.unknown().optional().transform(reportedUsage)

  /** Fills in the fields that a model may leave out, and checks those that it gives. */
  const modelReply = z.object({
    text: z.string().catch(''),
    reasoning: z.string().optional(),
    files: files.optional(),
    sources: z.array(sourceSchema()).readonly().optional(),
    toolCalls: z
      .array(toolCall)
      .nullish()
      .transform((calls) => calls ?? []),
    providerCalls: z
      .array(z.object({ name: z.string(), args, isError: z.literal(true).optional() }))
      .readonly()
      .optional(),
    finishReason: z
      .enum(['stop', 'tool-calls', 'length', 'content-filter', 'refusal', 'unknown'])
      .catch('unknown'),
    usage,
    response: response.optional(),
    keepReasoning: z.literal(true).optional(),
    providerData,
  })

  const verdict = z.object({
    problem: z.string().optional(),
    requireApproval: z.union([z.literal(true), z.literal('asks')]).optional(),
    isUnchecked: z.literal(true).optional(),
    namesFiles: z.literal(true).optional(),
  })

  const messages = {
    system: z.object({ role: z.literal('system'), content: z.string() }),
    user: z.object({
      role: z.literal('user'),
      content,
      internal: z.enum(['feedback', 'notice', 'said', 'scoring', 'summary']).optional(),
    }),
    assistant: z.object({
      role: z.literal('assistant'),
      content,
      toolCalls: z.array(strictShape(toolCall.shape)).optional(),
      reasoning: z.string().optional(),
      provider: z.string().optional(),
      providerData,
    }),
    tool: z.object({
      role: z.literal('tool'),
      toolCallId: z.string(),
      toolName: z.string(),
      content,
      isError: z.literal(true).optional(),
    }),
  } as const

  /** A message from a user's function: it has the fields of its role, and no other. */
  const message = knownKeys((given) => {
    const role: unknown = Reflect.get(given, 'role')
    const found = Object.entries(messages).find(([name]) => name === role)
    return found && Object.keys(found[1].shape)
  }).pipe(z.discriminatedUnion('role', [messages.system, messages.user, messages.assistant, messages.tool]))

  const toolChoice = z.union([
    z.enum(['auto', 'none', 'required']),
    z.object({ tool: z.string() }).readonly(),
  ])

  const error = z.custom<ErrorData>(isRecord)
  const tripwire: z.ZodType<Tripwire> = z.object({
    processor: z.string(),
    reason: z.string(),
    retry: z.boolean(),
  })

  const conversation = z.custom<AppendLog<Message>>(
    (value) => value instanceof AppendLog,
    'an AppendLog of messages',
  )
  /** The toolset that the tools must match; set for an agent whose tools are made for each run. */
  const toolset = z.custom<Toolset>((value) => value instanceof Toolset, 'a Toolset').optional()

  /** Where the function is given: in the definition of the agent, or in the options of this run. */
  const scope = z.enum(['agent', 'run'])

  /** The model that was called, where its agent has several: a later edit of the row does not change the record. */
  const called: z.ZodType<CalledModel | undefined> = z
    .object({ model: z.string(), next: z.string().optional() })
    .optional()

  const names = z.array(z.string().min(1)).readonly()

  /** The part of a message that a thread keeps. */
  const remembered = z.object({
    role: z.enum(['user', 'assistant']),
    content,
    internal: z.enum(['feedback', 'notice', 'said', 'scoring', 'partial']).optional(),
  })

  const recalled = z.object({
    /** Oldest first. */
    messages: z.array(remembered),
    /** The note on the resource. */
    workingMemory: z.string().nullable(),
    /** The agent that holds the conversation, where it was asked for and is another one. */
    holder: z.string().optional(),
  })

  /** `holder`: the agent that held the conversation, where another one has written the message. */
  const savedMessage = remembered.extend({ agent: z.string().optional(), holder: z.string().optional() })

  /** The text so far of an answer that was cut. */
  const cut = z.object({ partialText: z.string() })

  /** The place of the model among those that the agent has in a row, from 1; absent: it is the first. */
  const fallback = z.number().int().positive().optional()

  /** The groups, the state and the found tools by which the tools on offer were chosen. */
  const toolScope = z.object({
    toolGroups: names.optional(),
    toolState: z.string(),
    foundTools: names.optional(),
  })

  /** Timeout of the effect in milliseconds; absent: none. The door enforces it. */
  const timeout = z.number().positive().optional()
  /** Timeout in milliseconds of a user's function that answers as a part of the effect. */
  const hookTimeout = z.number().positive().optional()

  const thread = z.object({
    agent: z.string(),
    threadId: z.string(),
    resourceId: z.string().optional(),
    timeout,
  })

  return {
    json,
    args,
    files,
    usage,
    modelReply,
    verdict,
    message,
    toolChoice,
    error,
    tripwire,
    conversation,
    toolset,
    scope,
    called,
    names,
    recalled,
    savedMessage,
    cut,
    fallback,
    toolScope,
    timeout,
    hookTimeout,
    thread,
  } as const
}
