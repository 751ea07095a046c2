/** The shape of the outcome of an effect. */
import type { z } from 'zod'
import { effectSchemas } from './effect-kinds.ts'
import type { EffectKind } from './effect-names.ts'

/** `undefined` for a hook without a schema. `input`: of the effect, because each hook has its own. */
export function outcomeSchemaOf(kind: EffectKind, input: unknown): z.ZodType | undefined {
  const { effectKinds, hookOutcomes } = effectSchemas()
  if (kind !== 'hook') return effectKinds[kind].outcome
  const hooks: Readonly<Record<string, z.ZodType>> = hookOutcomes
  return hooks[(input as { readonly hook: string }).hook]
}

export function outcomeProblem({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => [...path.map(String), message].join(': ')).join('; ')
}
