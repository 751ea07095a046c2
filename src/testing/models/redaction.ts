/** Keeps secrets out of recordings: those that the user names, and texts that look like keys. */
import { Secrets } from '../../actors/openai/http/secrets.ts'
import { is, listOf } from '../../actors/strict/checks.ts'
import { isRecord } from '../../actors/values/json.ts'
import {
  behind,
  endOf,
  parameterOf,
  schemeWith,
  withoutForms,
  type CredentialForm,
} from '../../errors/credentials.ts'

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

const apiKey: CredentialForm = {
  head: /\b(?:sk|pk|rk|ghp|gho|xox[abp])[-_]/g,
  find: (text, head) => {
    const to = endOf(/[\w-]{8,}/y, text, behind(head))
    return to === undefined ? undefined : { from: head.index, to }
  },
  instead: '[API key]',
}

const inAddress: CredentialForm = {
  head: /\/\//g,
  find: (text, head) => {
    const to = endOf(/[^\s/:@]+:[^\s/@]+@/y, text, behind(head))
    return to === undefined ? undefined : { from: behind(head), to: to - 1 }
  },
}

const parameter = parameterOf((name) => /key|token|secret|sig|auth|password|credential/i.test(name))

const forms = [schemeWith(8), apiKey, inAddress, parameter]

/** Returns a function that copies a value with every secret in its texts replaced. */
export function redactor(secrets: readonly string[]): <Value>(value: Value) => Value {
  const named = new Secrets()
  for (const secret of secrets) named.addKey(secret)
  const clean = (text: string): string => withoutForms(named.redact(text), forms)
  return <Value>(value: Value) => redacted(value, clean) as Value
}

function redacted(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return clean(value)
  if (Array.isArray(value)) return value.map((item) => redacted(item, clean))
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, redacted(part, clean)]))
}
