/** Keeps secrets out of recordings: those that the user names, and texts that look like keys. */
import { Secrets } from '../../actors/openai/http/secrets.ts'
import { is, listOf } from '../../actors/strict/checks.ts'
import { isRecord } from '../../actors/values/json.ts'

/** A secret shorter than this would be a word of many texts. */
const shortest = 8

/** Reads the option `secrets`. */
export const readSecrets = listOf(
  is(
    `a text of at least ${shortest} characters`,
    (given) => typeof given === 'string' && given.trim().length >= shortest,
    { isSecret: true },
  ),
  'a list of texts',
)

const bearer = /\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/gi
const apiKey = /\b(?:sk|pk|rk|ghp|gho|xox[abp])[-_][\w-]{8,}/g
const inAddress = /\/\/[^\s/:@]+:[^\s/@]+@/g
const parameter = /([?&][\w-]*(?:key|token|secret|sig|auth|password|credential)[\w-]*=)[^&\s"'#]+/gi

/** Returns a function that copies a value with every secret in its texts replaced. */
export function redactor(secrets: readonly string[]): <Value>(value: Value) => Value {
  const named = new Secrets()
  for (const secret of secrets) named.addKey(secret)
  const clean = (text: string): string =>
    named
      .redact(text)
      .replaceAll(bearer, '$1 [secret]')
      .replaceAll(apiKey, '[API key]')
      .replaceAll(inAddress, '//[secret]@')
      .replaceAll(parameter, '$1[secret]')
  return <Value>(value: Value) => redacted(value, clean) as Value
}

function redacted(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return clean(value)
  if (Array.isArray(value)) return value.map((item) => redacted(item, clean))
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, redacted(part, clean)]))
}
