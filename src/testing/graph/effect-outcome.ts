/** Checks the outcome of an effect of the library against the schema of its kind. */
import { outcomeProblem, outcomeSchemaOf } from '../../actors/effect-outcome.ts'
import type { EffectKind } from '../../actors/effect-names.ts'
import { canonicalJson, type JsonValue } from '../../actors/values/json.ts'
import { ConfigurationError } from '../../errors.ts'

/** Throws a `ConfigurationError` for a value that the effect cannot have: the schema would refuse or change it. */
export function checkEffectOutcome(kind: EffectKind, input: unknown, value: unknown, where: string): void {
  const schema = outcomeSchemaOf(kind, input)
  if (schema === undefined) return
  const read = schema.safeParse(value)
  if (!read.success)
    throw new ConfigurationError(`${where} is no outcome of a ${kind}: ${outcomeProblem(read.error)}`)
  const [given, kept] = [value, read.data].map((one) => canonicalJson(one as JsonValue))
  if (given !== kept)
    throw new ConfigurationError(
      `${where} is no outcome of a ${kind}: it is read as ${kept}, and was ${given}.`,
    )
}
