/**
 * The ways in which a server differs. Each is learned from a request that the server refused: the request is sent again
 * in the other form, and where that is taken, the quirk is remembered. One of the schemas of a request holds for these
 * schemas alone; the others hold for the model.
 */
import type { ModelRequest } from '../../chat-model.ts'

/** What a server takes of the schemas of a request. */
export const schemaQuirks = ['wants-bare-schemas', 'lacks-strict', 'lacks-formats'] as const

export type Quirk =
  /** It refuses a keyword, a format or a pattern: types and fields must suffice. */
  | 'wants-bare-schemas'
  /** It holds no model to these schemas. */
  | 'lacks-strict'
  /**
   * It has no `response_format`, or none beside tools: the instructions and the check of the answer must suffice.
   */
  | 'lacks-formats'
  /** It gives no encrypted reasoning: its model does not reason. */
  | 'lacks-encrypted-reasoning'
  /** It does not take back the fields that it has sent. */
  | 'refuses-kept-fields'
  /** Each message of the model must have reasoning; one of another model has none. */
  | 'wants-reasoning'
  /** The calls must have a signature; those of another model have none. */
  | 'wants-signature'

export type Quirks = ReadonlySet<Quirk>

interface Sign {
  readonly quirk: Quirk
  readonly words: RegExp
  /** What the line with the words must have too. */
  readonly beside?: RegExp
  /** Whether the request has the part that the server has refused. */
  readonly isIn: (request: ModelRequest) => boolean
}

const always = (): boolean => true
const hasAnswers = ({ messages }: ModelRequest): boolean => messages.some(({ role }) => role === 'assistant')
const givesBack = ({ messages }: ModelRequest): boolean =>
  messages.some((message) => message.role === 'assistant' && message.provider !== undefined)

const hasFormat = ({ responseFormat }: ModelRequest): boolean => responseFormat !== undefined
const hasSchemas = (request: ModelRequest): boolean => hasFormat(request) || request.tools.length > 0
const mayBeStrict = (request: ModelRequest): boolean =>
  hasFormat(request) || request.tools.some(({ strict }) => strict === true)

/** What servers say of a schema that they cannot read. */
const faultOfSchema =
  /invalid (?:json )?schema|unsupported (?:json )?schema|unrecognized schema|schema conversion|schema must|input_schema|invalid_json_schema|not a valid format|not permitted|look-?(?:around|ahead|behind)|grammar|unsupported pattern|unknown name/i

/** The first one that fits counts. */
const signs: readonly Sign[] = [
  {
    quirk: 'lacks-formats',
    words: /json mode|response mime type|grammar constraints with tools/i,
    isIn: hasFormat,
  },
  { quirk: 'wants-bare-schemas', words: faultOfSchema, isIn: hasSchemas },
  { quirk: 'lacks-strict', words: faultOfSchema, isIn: mayBeStrict },
  { quirk: 'lacks-strict', words: /\bstrict\b/i, isIn: mayBeStrict },
  {
    quirk: 'lacks-formats',
    words:
      /response_?format|json_?schema|text\.format|structured.?output|response_mime_type|output_(?:format|config)|grammar/i,
    isIn: hasFormat,
  },
  { quirk: 'lacks-encrypted-reasoning', words: /encrypted.?content|\binclude\b/i, isIn: always },
  { quirk: 'wants-signature', words: /missing a .?thought_?signature/i, isIn: hasAnswers },
  {
    quirk: 'wants-reasoning',
    words: /reasoning_content/i,
    beside: /missing|required|must be/i,
    isIn: hasAnswers,
  },
  {
    quirk: 'refuses-kept-fields',
    words: /reasoning|extra_content|thinking_blocks|provider_specific_fields/i,
    isIn: givesBack,
  },
]

/**
 * The quirk that an error shows; `undefined`: the error has another reason. `possible`: the quirks that the request can
 * still be written for.
 */
export function quirkOf(
  error: unknown,
  request: ModelRequest,
  possible: readonly Quirk[],
): Quirk | undefined {
  if (!(error instanceof Error && 'code' in error && error.code === 'INVALID_REQUEST')) return undefined
  const sign = signs.find(
    (one) => possible.includes(one.quirk) && isShown(one, error.message) && one.isIn(request),
  )
  return sign?.quirk
}

function isShown({ words, beside }: Sign, message: string): boolean {
  if (beside === undefined) return words.test(message)
  return message.split('\n').some((line) => words.test(line) && beside.test(line))
}
