/** Checks the outcome of an effect of the library against the schema of its kind. */
import type { z } from 'zod'
import { effectSchemas } from '../../actors/effect-kinds.ts'
import type { EffectKind } from '../../actors/effect-names.ts'
import { canonicalJson, type JsonValue } from '../../actors/values/json.ts'
import { ConfigurationError } from '../../errors.ts'

/** Throws a `ConfigurationError` for a value that the effect cannot have: the schema would refuse or change it. */
export function checkEffectOutcome(kind: EffectKind, input: unknown, value: unknown, where: string): void {
  const schema = schemaOf(kind, input)
  if (schema === undefined) return
  const read = schema.safeParse(value)
  if (!read.success)
    throw new ConfigurationError(`${where} is no outcome of a ${kind}: ${problemOf(read.error)}`)
  const [given, kept] = [value, read.data].map((one) => canonicalJson(one as JsonValue))
  if (given !== kept)
    throw new ConfigurationError(
      `${where} is no outcome of a ${kind}: it is read as ${kept}, and was ${given}.`,
    )
}

/** Each hook has its own; `undefined` for a hook without one. */
function schemaOf(kind: EffectKind, input: unknown): z.ZodType | undefined {
  const { effectKinds, hookOutcomes } = effectSchemas()
  if (kind !== 'hook') return effectKinds[kind].outcome
  const hooks: Readonly<Record<string, z.ZodType>> = hookOutcomes
  return hooks[(input as { readonly hook: string }).hook]
}

function problemOf({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => [...path.map(String), message].join(': ')).join('; ')
}
