/**
 * The events of runs as clients see them. The texts of errors are internal, for they name hosts, tables and files: a client sees the
 * code alone, unless the option `errors` says otherwise.
 */
import type {
  DecisionRecord,
  ErrorData,
  EventPayloads,
  EventType,
  JsonValue,
  PlanStep,
  RunEvent,
  ScorerResult,
} from '../../index.ts'
import { type Expected, type Reporter, askUser } from '../../kit/index.ts'

/** Where an error of a run arose. */
export interface ErrorPlace {
  readonly runId: string
  /** The id of the agent. */
  readonly agent: string
  /** The path of the actor in its run. */
  readonly path: string
  /** The type of the event that holds the error. */
  readonly type: EventType
}

/** Gives the text of an error that a client sees. */
export type ErrorText = (error: ErrorData, place: ErrorPlace) => string | Promise<string>

/** `code`: the code alone. `show`: the whole error. A function gives the text. */
export type ServedErrors = 'code' | 'show' | ErrorText

/** Turns one error into that which a client sees. */
type Translate = (error: ErrorData) => Promise<ErrorData>

/** Whether a value has an error in it. JSON of users and models has none of ours. */
type Holds<Value> = [JsonValue] extends [Value] ? false : HoldsEach<Value>
type HoldsEach<Value> = Value extends ErrorData
  ? true
  : Value extends readonly (infer Item)[]
    ? Holds<Item>
    : Value extends object
      ? { [Name in keyof Value]-?: Holds<Value[Name]> }[keyof Value]
      : false

type TypeWithErrors = {
  [Type in EventType]: true extends Holds<EventPayloads[Type]> ? Type : never
}[EventType]

/** Types of events that hold texts of errors beside errors. */
type TypeWithTexts = 'plan-revised' | 'pattern-selected'

type ServedPayloads = {
  readonly [Type in TypeWithErrors | TypeWithTexts]: (
    payload: EventPayloads[Type],
    translate: Translate,
  ) => Promise<EventPayloads[Type]>
}

const payloads: ServedPayloads = {
  'run-finish': withError,
  'tool-error': withError,
  'plan-step-end': withError,
  'compaction-end': withError,
  'scorer-result': withError,
  'model-fallback': withError,
  error: async (payload, translate) => ({ ...payload, error: await translate(payload.error) }),
  'delegation-end': async (payload, translate) => {
    const { hookError } = payload
    return {
      ...(await withError(payload, translate)),
      ...(hookError === undefined ? {} : { hookError: await translate(hookError) }),
    }
  },
  'scoring-complete': async (payload, translate) => ({
    ...payload,
    results: await Promise.all(payload.results.map((result: ScorerResult) => withError(result, translate))),
  }),
  'plan-created': withSteps,
  'plan-revised': async (payload, translate) => ({
    ...(await withSteps(payload, translate)),
    reason: 'The plan could not be carried out as it was.',
  }),
  'pattern-selected': async (payload) => ({ ...payload, decisions: payload.decisions.map(withoutTexts) }),
}

async function withError<Payload extends { readonly error?: ErrorData }>(
  payload: Payload,
  translate: Translate,
): Promise<Payload> {
  return payload.error === undefined ? payload : { ...payload, error: await translate(payload.error) }
}

async function withSteps<Payload extends { readonly steps: readonly PlanStep[] }>(
  payload: Payload,
  translate: Translate,
): Promise<Payload> {
  return { ...payload, steps: await Promise.all(payload.steps.map((step) => withError(step, translate))) }
}

/** The reasons of a decision that no model has given may be texts of errors. */
function withoutTexts({ fallback, ignored, ...decision }: DecisionRecord): DecisionRecord {
  return {
    ...decision,
    ...(fallback === undefined ? {} : { fallback: 'The model made no valid choice.' }),
    ...(ignored === undefined ? {} : { ignored: ignored.map(() => 'An item could not be used.') }),
  }
}

/** Returns the translation of the events of runs. */
export function servedEvents(errors: ServedErrors, report: Reporter): (event: RunEvent) => Promise<RunEvent> {
  if (errors === 'show') return async (event) => event
  const textOf = errors === 'code' ? async ({ code }: ErrorData) => code : asked(errors, report)
  return async (event) => {
    const { type, runId, agent, path } = event
    if (!isServed(type)) return event
    const translate: Translate = async (error) =>
      shown(error, await textOf(error, { runId, agent, path, type }))
    return { ...event, payload: await servedPayload(type, event.payload, translate) } as RunEvent
  }
}

function isServed(type: RunEvent['type']): type is keyof ServedPayloads {
  return Object.hasOwn(payloads, type)
}

function servedPayload<Type extends keyof ServedPayloads>(
  type: Type,
  payload: RunEvent['payload'],
  translate: Translate,
): Promise<EventPayloads[Type]> {
  return payloads[type](payload as EventPayloads[Type], translate)
}

/** What a client may branch on stays; the name of a class, and causes, are internal too. */
function shown({ code, retryable, retryAfterMs }: ErrorData, message: string): ErrorData {
  return {
    name: 'Error',
    code,
    message,
    ...(retryable === undefined ? {} : { retryable }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }
}

const aText: Expected<string> = {
  words: 'a text',
  fits: (answer): answer is string => typeof answer === 'string',
}

/** Where the function fails, the client sees the code. */
function asked(errors: ErrorText, report: Reporter): ErrorText {
  return async (error, place) => {
    try {
      return await askUser('errors of createHandler', () => errors(error, place), aText)
    } catch (thrown) {
      const { runId, agent, path } = place
      const message = 'errors of createHandler failed: the client sees the code of the error'
      report({ message, code: 'ERROR_TEXT_FAILED', where: 'request', error: thrown, runId, agent, path })
      return error.code
    }
  }
}
