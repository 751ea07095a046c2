/** Which failures of a model lead to the next model of its row. */
import type { ErrorCode, ErrorData } from '../../errors.ts'
import type { ModelReply } from '../chat-model.ts'
import { timeoutCodes } from '../timeouts.ts'

/** The words of `fallbackOn` beside the codes of errors. */
export const fallbackWords = ['error', 'deadline', 'refusal'] as const

/**
 * What leads to the next model. `'error'`: the call fails, whatever the code. `'deadline'`: it takes too long
 * (`MODEL_TIMEOUT`). `'refusal'`: the model or its provider refuses to answer. Any other text: the code of an error.
 */
export type FallbackRule = (typeof fallbackWords)[number] | ErrorCode

/** The rules of an agent that names none. */
export const defaultFallbacks: readonly FallbackRule[] = ['error']

const refusals: ReadonlySet<string> = new Set(['MODEL_REFUSED', 'CONTENT_FILTERED'])

/** Whether a failed call of this code is a refusal of the model or of its provider. */
export function isRefusalCode(code: string): boolean {
  return refusals.has(code)
}

/** Errors of a call that no model has failed: a limit, a function of the user's, or a cancel. */
const ofTheRun: ReadonlySet<string> = new Set([
  'BUDGET_EXCEEDED',
  'STEPS_EXCEEDED',
  'ITERATIONS_EXCEEDED',
  'USAGE_UNKNOWN',
  'MODEL_NOT_PRICED',
  'TRIPPED',
  'CANCELLED',
  'INVALID_CONFIGURATION',
  timeoutCodes.other,
])

/** Whether an error of a model call leads to the next model. */
export function fallsOn(rules: readonly FallbackRule[], { code }: ErrorData): boolean {
  if (ofTheRun.has(code)) return false
  if (rules.includes(code)) return true
  if (refusals.has(code)) return rules.includes('refusal')
  return rules.includes('error') || (code === timeoutCodes.model && rules.includes('deadline'))
}

/** The refusal in a reply as an error; `undefined`: the reply is none. */
export function refusalIn({
  finishReason,
  text,
}: Pick<ModelReply, 'finishReason' | 'text'>): ErrorData | undefined {
  if (finishReason === 'content-filter') return contentFiltered
  if (finishReason !== 'refusal') return undefined
  return { name: 'RefusalError', code: 'MODEL_REFUSED', message: text || 'The model refused.' }
}

const contentFiltered: ErrorData = {
  name: 'ContentFilterError',
  code: 'CONTENT_FILTERED',
  message: 'The provider filtered the reply of the model.',
}
