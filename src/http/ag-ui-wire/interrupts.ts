/** The questions of a run as interrupts. The id of one has all that an answer needs: no server keeps it. */
import type { AwaitedSignal, RunEvent, RunSignal } from '../../index.ts'
import { asksAboutPlan, isRecord } from '../../kit/index.ts'
import { wrongRequest } from '../../kit/wire/index.ts'
import type { Access } from '../access/authorize.ts'
import type { ClientCalls } from '../serving/client-tools.ts'
import { readAnswer } from '../troupe-wire/signals.ts'
import { isCall, type Calls } from './calls.ts'
import type { Interrupt } from './events.ts'
import { ownerOf } from './subagents.ts'

type Fields = Readonly<Record<string, unknown>>
type Suspended = Extract<RunEvent, { type: 'suspended' }>
type QuestionType = AwaitedSignal['type']

/** What the id of an interrupt says. */
export interface Asked {
  readonly runId: string
  readonly toolCallId: string
  readonly type: QuestionType
  /** The stream goes on behind it. */
  readonly after: string
}

export interface AskedAnswer {
  readonly asked: Asked
  /** As `readAnswer` of the wire of the library takes it. */
  readonly answer: Fields
}

const types: readonly unknown[] = ['approval', 'suspension', 'interruption'] satisfies QuestionType[]

const approvalSchema = {
  type: 'object',
  properties: {
    approved: { type: 'boolean' },
    editedArgs: { description: 'All arguments of the call, in place of those that it has.' },
    always: { type: 'boolean', description: 'The decision holds for later calls of the tool.' },
    reason: { type: 'string', description: 'Of a denial.' },
    note: { type: 'string' },
  },
  required: ['approved'],
} as const

const interruptionSchema = {
  type: 'object',
  properties: { retry: { type: 'boolean' }, result: {} },
} as const

/** The interrupts of a run that waits, by the ids of their calls: all questions but the calls that the page performs. */
export function interruptsOf(
  event: Suspended,
  calls: Calls,
  clientCalls: ClientCalls,
): ReadonlyMap<string, Interrupt> {
  const asked = event.payload.awaiting.filter((awaited) => !clientCalls.asks(awaited))
  return new Map(asked.map((awaited) => [awaited.toolCallId, interruptOf(awaited, event, calls)]))
}

function interruptOf(awaited: AwaitedSignal, { runId, cursor = '' }: Suspended, calls: Calls): Interrupt {
  const { toolCallId, type, toolName } = awaited
  const common = {
    id: JSON.stringify([runId, toolCallId, type, cursor]),
    ...ownerOf(runId, toolCallId),
    ...(isCall(toolCallId) ? { toolCallId: calls.idOf(toolCallId) } : {}),
    metadata: { troupe: awaited },
  }
  switch (type) {
    case 'approval': {
      const reason = isCall(toolCallId) ? 'tool_call' : 'confirmation'
      const message = asksAboutPlan(toolCallId)
        ? 'May the plan be carried out?'
        : `May ${toolName} be called?`
      return { ...common, reason, message, responseSchema: approvalSchema }
    }
    case 'suspension':
      return { ...common, reason: 'input_required', message: `${toolName} waits for an answer.` }
    case 'interruption':
      return {
        ...common,
        reason: 'troupe:interruption',
        message: `${toolName} was interrupted. Is it to be called again?`,
        responseSchema: interruptionSchema,
      }
  }
}

/** Reads `resume` of a request. Throws a `RefusedRequest`. */
export function readResume(given: readonly Fields[]): readonly AskedAnswer[] {
  return given.map((entry) => {
    const asked = readAsked(entry['interruptId'])
    return { asked, answer: answerOf(asked, entry) }
  })
}

/**
 * The events without those by which the run says that it waits for calls that this request has answered: it may say so until
 * the answers have come in. `answered`: the ids of the calls.
 */
export async function* withoutAnswered(
  events: AsyncIterable<RunEvent>,
  answered: Iterable<string> = [],
): AsyncGenerator<RunEvent, void> {
  const coming = new Set(answered)
  for await (const event of events) {
    if (isNews(event)) coming.delete(event.payload.toolCallId)
    const isBeingAnswered =
      event.type === 'suspended' && event.payload.awaiting.some(({ toolCallId }) => coming.has(toolCallId))
    if (!isBeingAnswered) yield event
  }
}

/** The answer has come in, or the question is asked anew: with arguments that do not fit, an answer does not count. */
function isNews(
  event: RunEvent,
): event is Extract<RunEvent, { type: 'tool-call-answered' | 'tool-call-approval' | 'tool-call-suspended' }> {
  const { type } = event
  return type === 'tool-call-answered' || type === 'tool-call-approval' || type === 'tool-call-suspended'
}

export function signalOf({ answer }: AskedAnswer, access: Access): RunSignal {
  return readAnswer(answer, access)
}

function readAsked(id: unknown): Asked {
  const [runId, toolCallId, type, after] = listOf(id)
  const isText = [runId, toolCallId, after].every((part) => typeof part === 'string')
  if (!isText || !types.includes(type)) throw wrongRequest('An interruptId is not one of this server.')
  return { runId, toolCallId, type, after } as Asked
}

function listOf(id: unknown): readonly unknown[] {
  try {
    const list: unknown = typeof id === 'string' ? JSON.parse(id) : undefined
    return Array.isArray(list) ? list : []
  } catch {
    return []
  }
}

/** An interrupt that is left without an answer is denied. */
function answerOf({ toolCallId, type }: Asked, { status, payload }: Fields): Fields {
  if (status === 'cancelled') return { type: 'deny', toolCallId }
  if (status !== 'resolved') throw wrongRequest('The status of an answer must be resolved or cancelled.')
  if (type !== 'approval') {
    return { type: 'resume', toolCallId, ...(payload === undefined ? {} : { data: payload }) }
  }
  if (!isRecord(payload) || typeof payload['approved'] !== 'boolean') {
    throw wrongRequest('The payload of an approval must be { approved: true } or { approved: false }.')
  }
  const { approved, editedArgs, ...rest } = payload
  const args = editedArgs === undefined ? {} : { args: editedArgs }
  return { ...rest, ...args, type: approved ? 'approve' : 'deny', toolCallId }
}
