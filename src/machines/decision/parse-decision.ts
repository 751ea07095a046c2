/** Parses the text of a model as a decision: the one JSON value in it that fits a schema. */
import type { z } from 'zod'
import type { CallReader, CallVerdicts, JudgedCall, ToolCall } from '../../actors/message.ts'
import { withoutNulls } from '../../actors/schemas/left-out.ts'
import { jsonIn, theOneOf, tooDeep, type AnswerCheck } from '../../actors/text/json-in.ts'
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
  const decided = theOneOf(jsonIn(text).map((value) => checkShape(value, schema)))
  if (!decided.ok) return decided
  const problem = allow(decided.value)
  return problem === undefined
    ? { ok: true, value: toJsonValue(decided.value, 'A decision') }
    : { ok: false, problem }
}

/** The calls that a text asks for, as it has the shape of a decision; none where it has not. */
export function callsIn<Value>(
  text: string,
  schema: z.ZodType<Value>,
  callsOf: (value: Value) => ReturnType<CallReader>,
): ReturnType<CallReader> {
  const decided = theOneOf(jsonIn(text).map((value) => checkShape(value, schema)))
  return decided.ok ? callsOf(decided.value) : []
}

/** A call with its verdict, where there is one on record. */
export function judged(call: ToolCall, verdicts: CallVerdicts | undefined, position = 0): JudgedCall {
  const verdict = verdicts?.[position] ?? undefined
  return verdict === undefined ? call : { ...call, verdict }
}

function checkShape<Value>(value: JsonValue, schema: z.ZodType<Value>): AnswerCheck<Value> {
  const problem = tooDeep(value)
  if (problem !== undefined) return { ok: false, problem }
  const checked = schema.safeParse(value)
  if (checked.success) return { ok: true, value: checked.data }
  const { issues } = checked.error
  const written = withoutNulls(value, issues)
  const again = written === undefined ? undefined : schema.safeParse(written)
  return again?.success === true ? { ok: true, value: again.data } : { ok: false, problem: problemOf(issues) }
}

function problemOf(issues: readonly z.core.$ZodIssue[]): string {
  return issues
    .map(({ path, message }) => (path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`))
    .join('; ')
}
