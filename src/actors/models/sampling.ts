/** The settings of sampling that all drivers share: one vocabulary, and one reader. */
import type { SamplingSettings } from '../chat-model.ts'
import { aShare, aText, either, is, listOf, notNegative, oneOf, positiveInteger } from '../strict/checks.ts'
import { optional, type Fields } from '../strict/read-options.ts'
import { ConfigurationError } from '../../errors.ts'

export type { SamplingSettings }

const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const

const aNumber = is('a number', (given) => Number.isFinite(given))
const anInteger = is('an integer', (given) => Number.isSafeInteger(given))

/** The fields of settings of sampling. */
export const samplingFields = {
  temperature: optional(notNegative),
  topP: optional(aShare),
  topK: optional(positiveInteger),
  presencePenalty: optional(aNumber),
  frequencyPenalty: optional(aNumber),
  maxOutputTokens: optional(positiveInteger),
  seed: optional(anInteger),
  stop: optional(either((given) => Array.isArray(given), listOf(aText), aText)),
  reasoningEffort: optional(oneOf(...efforts)),
} satisfies Fields<SamplingSettings>

/** `stop` as a list; `undefined`: not given. */
export function stopsOf({ stop }: SamplingSettings): string[] | undefined {
  if (stop === undefined) return undefined
  return typeof stop === 'string' ? [stop] : [...stop]
}

/** Throws a `ConfigurationError` for a setting that the wire of a driver does not have. `instead`: a way around. */
export function assertHas<Settings extends object>(
  settings: Settings,
  missing: readonly (keyof Settings & string)[],
  { where, wire, instead }: { readonly where: string; readonly wire: string; readonly instead: string },
): void {
  const setting = missing.find((name) => settings[name] !== undefined)
  if (setting !== undefined) throw new ConfigurationError(`${where}: ${wire} has no ${setting}. ${instead}`)
}
