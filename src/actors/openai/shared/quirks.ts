/**
 * The ways in which a server differs. Each is learned from a request that the server refused: the request is sent again
 * in the other form, and where that is taken, the quirk holds for the model from then on.
 */
import type { ModelRequest } from '../../chat-model.ts'

export type Quirk =
  /** It has no `response_format`: the instructions and the check of the answer must suffice. */
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

/** The first one that fits counts. */
const signs: readonly Sign[] = [
  {
    quirk: 'lacks-formats',
    words: /response_?format|json_?schema|text\.format|structured output|response mime type/i,
    isIn: ({ responseFormat }) => responseFormat !== undefined,
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
