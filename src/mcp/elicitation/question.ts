/** The questions of a server to a person, as a suspended call holds them, and their answers. */
import { ConfigurationError, type JsonValue } from '../../index.ts'
import {
  type Fields,
  aText,
  anObject,
  is,
  isRecord,
  oneOf,
  optional,
  readOptions,
  recordOf,
  required,
} from '../../kit/index.ts'
import { foreignSchema, validate } from '../../kit/host.ts'

/** A question of a server to a person: a form to fill in, or a page to visit. */
export type ElicitationQuestion =
  | {
      readonly mode: 'form'
      readonly message: string
      /** A JSON Schema of an object with plain fields. */
      readonly requestedSchema: { readonly [key: string]: JsonValue }
    }
  | { readonly mode: 'url'; readonly message: string; readonly url: string }

/**
 * The questions that a call of an MCP tool waits for: the payload of its suspension, in `awaiting` and in the event
 * `tool-call-suspended`.
 */
export interface Elicitation {
  readonly type: 'mcp-elicitation'
  /** The name that the server gives its tool. */
  readonly tool: string
  /** By the names that the server gives them. */
  readonly questions: { readonly [name: string]: ElicitationQuestion }
  /** A note of the server to itself: it belongs to the answer, unchanged. */
  readonly requestState?: string
}

/** The answer to one question. */
export interface ElicitationAnswer {
  /** `decline`: the person refuses. `cancel`: the person has not decided. */
  readonly action: 'accept' | 'decline' | 'cancel'
  /** The fields of the form, where it is accepted. */
  readonly content?: { readonly [field: string]: string | number | boolean | readonly string[] }
}

/** The data with which `run.resume` goes on with a call that waits for answers. */
export interface ElicitationAnswers {
  readonly inputResponses: { readonly [name: string]: ElicitationAnswer }
  readonly requestState?: string
}

const answerFields: Fields<ElicitationAnswer> = {
  action: required(oneOf('accept', 'decline', 'cancel')),
  content: optional(recordOf(is('a text, a number, true, false or a list of texts', isFormValue))),
}

const answersFields: Fields<ElicitationAnswers> = {
  inputResponses: required(recordOf(anObject(answerFields, { word: 'field' }))),
  requestState: optional(aText),
}

function isFormValue(value: unknown): boolean {
  return Array.isArray(value)
    ? value.every((item) => typeof item === 'string')
    : ['string', 'number', 'boolean'].includes(typeof value)
}

/** Whether the payload of a suspension holds the questions of a server. */
export function isElicitation(payload: unknown): payload is Elicitation {
  return isRecord(payload) && payload['type'] === 'mcp-elicitation' && isRecord(payload['questions'])
}

/**
 * Makes the data for `run.resume` from the payload of a suspended call and an answer to each of its questions.
 * Throws a `ConfigurationError` for a payload without questions, for an answer that is missing, to no question, or of a
 * wrong form, and for content that does not fit the form; its patterns are left to the server.
 */
export function answerElicitation(
  payload: unknown,
  answers: { readonly [name: string]: ElicitationAnswer },
): { readonly [key: string]: JsonValue } {
  const where = 'answerElicitation'
  if (!isElicitation(payload)) {
    throw new ConfigurationError(
      `${where}: expected the payload of a call that a server's question suspended.`,
    )
  }
  const { questions, requestState } = payload
  const fields = Object.fromEntries(
    Object.keys(questions).map((name) => [name, required(anObject(answerFields, { word: 'field' }))]),
  )
  const read = readOptions<Record<string, ElicitationAnswer>>(answers, where, fields)
  for (const [name, answer] of Object.entries(read)) assertFits(questions[name], answer, `${where}: ${name}`)
  const inputResponses = Object.fromEntries(
    Object.entries(read).map(([name, { action, content }]) => [
      name,
      { action, ...(content === undefined ? {} : { content }) },
    ]),
  )
  return { inputResponses, ...(requestState === undefined ? {} : { requestState }) }
}

function assertFits(
  question: ElicitationQuestion | undefined,
  answer: ElicitationAnswer,
  where: string,
): void {
  if (question?.mode !== 'form' || answer.action !== 'accept') return
  const checked = validate(foreignSchema(question.requestedSchema), answer.content ?? {})
  if (!(checked instanceof Promise) && !checked.ok) {
    throw new ConfigurationError(`${where}.content does not fit the form: ${checked.problem}.`)
  }
}

/** The answers in the data of a resumed call. Throws a `ConfigurationError` for data that holds none. */
export function readAnswers(data: unknown, tool: string): ElicitationAnswers {
  return readOptions<ElicitationAnswers>(data, `The answer to the tool "${tool}"`, answersFields)
}
