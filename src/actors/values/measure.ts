/**
 * The size of data from outside in levels and in number, beside that in bytes: four megabytes can hold a million values, or two
 * million levels. The one place of these limits.
 */

/** Most levels of JSON that others send. The data around it, and functions that call themselves for each level, need the rest. */
const mostLevels = 500

/** Most levels of any JSON within: deeper values would overflow the journal, schemas, and `JSON.stringify` in a store. */
export const mostLevelsWithin = 1_000

/** Most values of one request: each field, item and object counts. */
const mostValues = 100_000

/** Most answers to questions that one request gives. */
export const mostAnswers = 1_000

/** Most parts of one message. */
export const mostParts = 1_000

/** What a value has too much of, with the limit. */
export interface Excess {
  readonly of: 'levels' | 'values'
  readonly most: number
}

/** The first excess of JSON; `undefined`: it has none. It calls no function for each level, and stops at the excess. */
export function excessOf(
  value: unknown,
  { levels = mostLevels, values = mostValues }: { readonly levels?: number; readonly values?: number } = {},
): Excess | undefined {
  let count = 1
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    const inner: unknown[] = []
    for (const part of level) {
      if (typeof part !== 'object' || part === null) continue
      if (depth === levels) return { of: 'levels', most: levels }
      const parts: readonly unknown[] = Array.isArray(part) ? part : Object.values(part)
      count += parts.length
      if (count > values) return { of: 'values', most: values }
      for (const one of parts) inner.push(one)
    }
    level = inner
  }
  return undefined
}
