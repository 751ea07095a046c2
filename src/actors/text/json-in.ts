/**
 * Finds the JSON in a reply of a model: alone, behind thoughts, in a block of code, or among words. The time is linear in
 * the text, whatever it holds: a reply is on record before it is read, and one that takes long would stop each process
 * that goes on with its run.
 */
import type { JsonValue } from '../values/json.ts'
import { excessOf } from '../values/measure.ts'
import { scanJson } from './json-scanner.ts'
import { withoutThoughts } from './thoughts.ts'

/** The most values that are checked: a check may take long. */
const mostValues = 16

/**
 * The JSON values of a reply that may be its answer: the whole text where it is JSON, otherwise the objects and lists in
 * it that stand alone, the longest first. Thoughts hold no answer, and neither does broken JSON.
 */
export function jsonIn(text: string): readonly JsonValue[] {
  const whole = parsed(text)
  if (whole !== undefined) return [whole.value]
  const { answer } = withoutThoughts(text)
  const rest = parsed(answer)
  if (rest !== undefined) return [rest.value]
  const values = longest(partsOf(answer)).map((part) => JSON.parse(part) as JsonValue)
  if (values.length < 2) return values
  const shallow = values.filter((value) => tooDeep(value) === undefined)
  const filled = shallow.filter(isFilled) // `{}` among words is part of them
  return distinct(filled.length === 0 ? shallow : filled)
}

/** The texts of the objects and lists that stand in a text, by their order. */
function* partsOf(text: string): Generator<string> {
  const bracket = /[[{]/g
  for (let found = bracket.exec(text); found !== null; found = bracket.exec(text)) {
    const { type, next } = scanJson(text, found.index)
    if (type === 'value') yield text.slice(found.index, next)
    bracket.lastIndex = next
  }
}

/** The longest ones, the first of those that are equally long. */
function longest(parts: Iterable<string>): readonly string[] {
  const kept: string[] = []
  for (const part of parts) {
    const place = kept.findIndex(({ length }) => length < part.length)
    kept.splice(place === -1 ? kept.length : place, 0, part)
    if (kept.length > mostValues) kept.pop()
  }
  return kept
}

function isFilled(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0
}

function distinct(values: readonly JsonValue[]): readonly JsonValue[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()]
}

/** The value of a text that is JSON alone. */
export function parsed(text: string): { readonly value: JsonValue } | undefined {
  try {
    return { value: JSON.parse(text) as JsonValue }
  } catch {
    return undefined
  }
}

/** Why a value nests too deeply to be read, worded for the model; `undefined`: it does not. */
export function tooDeep(value: JsonValue): string | undefined {
  const excess = excessOf(value, { values: Number.POSITIVE_INFINITY })
  return excess && `it nests more than ${excess.most} ${excess.of}`
}

/** Whether a value is the answer. A problem is worded for the model. */
export type AnswerCheck<Value> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly problem: string }

/** The one value that fits, of the values of `jsonIn` as they were checked. */
export function theOneOf<Check extends AnswerCheck<unknown>>(
  checks: readonly Check[],
): Check | { readonly ok: false; readonly problem: string } {
  const fitting = checks.filter(({ ok }) => ok)
  if (fitting.length > 1) {
    return { ok: false, problem: `it holds ${fitting.length} JSON values that fit: answer with one alone` }
  }
  return fitting[0] ?? checks[0] ?? { ok: false, problem: 'it is not JSON' }
}
