/** The questions of a suspended run as the questions of an MCP server, and the client's answers as signals. */
import { type AwaitedSignal, ConfigurationError, type JsonValue, type RunSignal } from '../../index.ts'
import { asksAboutPlan, digestText, isRecord } from '../../kit/index.ts'
import {
  answerElicitation,
  isElicitation,
  type Elicitation,
  type ElicitationAnswer,
} from '../elicitation/question.ts'

/** A request of `elicitation/create`, as the package of MCP servers takes it. */
export interface Question {
  readonly method: 'elicitation/create'
  readonly params:
    { mode: 'url'; message: string; url: string } | { mode: 'form'; message: string; requestedSchema: Form }
}

interface Form {
  type: 'object'
  properties: Record<string, FormField>
  required?: string[]
}

type FormField =
  | { type: 'boolean'; title: string; default?: boolean }
  | { type: 'string'; title: string; minLength?: number }

type Responses = Readonly<Record<string, unknown>>

/** The separator between the id of a call and the name of a question that it passes on. */
const separator = '?'

/** Tells a question from the next one of the same call. */
export function digestOfQuestion(awaited: AwaitedSignal): string {
  return digestText(JSON.stringify(awaited))
}

/** The questions of a run by their keys; a question of another MCP server is passed on as it is. */
export function questionsOf(awaiting: readonly AwaitedSignal[]): Record<string, Question> {
  return Object.fromEntries(
    awaiting.flatMap((awaited) =>
      isElicitation(awaited.payload)
        ? passedOn(awaited.toolCallId, awaited.payload)
        : [[awaited.toolCallId, { method: 'elicitation/create', params: formOf(awaited) }] as const],
    ),
  )
}

function passedOn(toolCallId: string, { questions }: Elicitation): (readonly [string, Question])[] {
  return Object.entries(questions).map(([name, question]) => [
    toolCallId + separator + name,
    {
      method: 'elicitation/create',
      params:
        question.mode === 'url'
          ? { ...question }
          : { ...question, requestedSchema: question.requestedSchema as unknown as Form },
    },
  ])
}

function formOf({ toolCallId, type, agent, toolName, args, payload }: AwaitedSignal): Question['params'] {
  if (asksAboutPlan(toolCallId))
    return form(`The agent "${agent}" has made the plan ${JSON.stringify(args)}. May it be carried out?`, {
      approve: { type: 'boolean', title: 'Carry out the plan' },
      plan: { type: 'string', title: 'Another plan as JSON in the same form, where it is to be changed' },
      reason: { type: 'string', title: 'The reason, where it is not allowed: the model reads it' },
      note,
    })
  const call = `${toolName} ${JSON.stringify(args)}`
  switch (type) {
    case 'approval':
      return form(`The agent "${agent}" wants to call ${call}. May it?`, {
        approve: { type: 'boolean', title: 'Allow the call' },
        reason: { type: 'string', title: 'The reason, where it is not allowed' },
        note,
      })
    case 'suspension':
      return form(`The call ${call} of the agent "${agent}" asks: ${textOf(payload)}`, {
        answer: { type: 'string', title: 'The answer' },
        note,
      })
    case 'interruption':
      return form(
        `The call ${call} of the agent "${agent}" was interrupted, and may have been carried out.`,
        {
          retry: { type: 'boolean', title: 'Call it again' },
          result: { type: 'string', title: 'Its result, where it was carried out' },
          note,
        },
      )
  }
}

const note: FormField = { type: 'string', title: 'A note for the journal, which the model does not see' }

/** The first field must be filled in. */
function form(message: string, properties: Form['properties']): Question['params'] {
  const [first = ''] = Object.keys(properties)
  return { mode: 'form', message, requestedSchema: { type: 'object', properties, required: [first] } }
}

function textOf(payload: JsonValue | undefined): string {
  return typeof payload === 'string' ? payload : JSON.stringify(payload ?? null)
}

/** `undefined` where the client has not answered, or not as asked. */
export function signalOf(awaited: AwaitedSignal, responses: Responses): RunSignal | undefined {
  const { toolCallId, payload, type } = awaited
  if (isElicitation(payload)) return signalOfElicitation(toolCallId, payload, responses)
  const answer = answerIn(responses, toolCallId)
  if (answer === undefined) return undefined
  const { action, content = {} } = answer
  if (action !== 'accept') return { type: 'deny', toolCallId, reason: reasons[action] }
  const { approve, plan, reason, answer: data, retry, result, note: given } = content
  const noted = { toolCallId, ...(typeof given === 'string' && given !== '' ? { note: given } : {}) }
  switch (type) {
    case 'approval':
      if (typeof approve !== 'boolean') return undefined
      return approve
        ? {
            type: 'approve',
            ...noted,
            ...(typeof plan === 'string' && plan !== '' ? { args: written(plan) } : {}),
          }
        : { type: 'deny', ...noted, ...(typeof reason === 'string' ? { reason } : {}) }
    case 'suspension':
      return typeof data === 'string' ? { type: 'resume', ...noted, data } : undefined
    case 'interruption':
      if (retry === true) return { type: 'resume', ...noted, data: { retry } }
      return typeof result === 'string' ? { type: 'resume', ...noted, data: { result } } : undefined
  }
}

/** A text that is no JSON is no plan: the run refuses it, and the client is told so. */
function written(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return text
  }
}

const reasons = { decline: 'The user declined.', cancel: 'The user did not decide.' } as const

/** The answers to a server's questions, when all of them are there and fit. */
function signalOfElicitation(
  toolCallId: string,
  payload: Elicitation,
  responses: Responses,
): RunSignal | undefined {
  const answers = Object.keys(payload.questions).map(
    (name) => [name, answerIn(responses, toolCallId + separator + name)] as const,
  )
  const given = answers.filter(
    (entry): entry is readonly [string, ElicitationAnswer] => entry[1] !== undefined,
  )
  if (given.length < answers.length) return undefined
  try {
    return { type: 'resume', toolCallId, data: answerElicitation(payload, Object.fromEntries(given)) }
  } catch (error) {
    if (error instanceof ConfigurationError) return undefined // it does not fit the form: the client is asked again
    throw error
  }
}

const actions = ['accept', 'decline', 'cancel'] as const

function answerIn(responses: Responses, key: string): ElicitationAnswer | undefined {
  const given = responses[key]
  if (!isRecord(given)) return undefined
  const action = actions.find((one) => one === given['action'])
  if (action === undefined) return undefined
  const { content } = given
  return {
    action,
    ...(isRecord(content) ? { content: content as ElicitationAnswer['content'] & object } : {}),
  }
}
