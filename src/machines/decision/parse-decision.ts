/** Parses the text of a model as a decision: JSON that fits a schema, also within a code block. */
import type { z } from 'zod'
import type { JsonValue } from '../../actors/values/json.ts'
import { toJsonValue } from '../../actors/values/to-json.ts'

/** Whether a reply is a valid decision. A problem is worded for the model. */
export type DecisionCheck =
  { readonly ok: true; readonly value: JsonValue } | { readonly ok: false; readonly problem: string }

/** The value as the schema transforms it. `allow` may reject it, with a sentence for the model. */
export function parseDecision<Value>(
  text: string,
  schema: z.ZodType<Value>,
  allow: (value: Value) => string | undefined = () => undefined,
): DecisionCheck {
  const parsed = parse(text)
  if (parsed === undefined) return { ok: false, problem: 'it is not JSON' }
  const checked = schema.safeParse(parsed.value)
  if (!checked.success) {
    const problem = checked.error.issues
      .map(({ path, message }) => (path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`))
      .join('; ')
    return { ok: false, problem }
  }
  const problem = allow(checked.data)
  return problem === undefined
    ? { ok: true, value: toJsonValue(checked.data, 'A decision') }
    : { ok: false, problem }
}

function parse(text: string): { readonly value: JsonValue } | undefined {
  const block = /^\s*```(?:json)?\s*\n([^]*?)\n?\s*```\s*$/.exec(text)
  try {
    return { value: JSON.parse(block?.[1] ?? text) as JsonValue }
  } catch {
    return undefined
  }
}
