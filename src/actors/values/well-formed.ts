/**
 * Text without halves of characters: a cut through an emoji leaves a lone surrogate, which JSON can hold as an escape and
 * UTF-8 cannot. Servers that read strictly refuse the whole request for one of them.
 */
import { deepFreeze } from './frozen.ts'

/**
 * Values that cannot change and have none: a request carries its whole conversation. V8 keeps what a weak map holds until a full
 * collection, and what a weak set holds no longer than it is used.
 */
const sound = new WeakSet<object>()
/** The others, with what they are sent as. */
const mends = new WeakMap<object, unknown>()

/** The JSON value with U+FFFD in the place of each lone surrogate, also in keys; itself where it has none. */
export function wellFormed<T extends object>(value: T): T
export function wellFormed(value: object): unknown {
  if (!Object.isFrozen(value)) return mended(value)
  if (sound.has(value)) return value
  const found = mends.get(value) ?? deepFreeze(mended(value))
  if (found === value) sound.add(value)
  else mends.set(value, found)
  return found
}

function mended(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const parts = value.map(mended)
    return parts.every((part, index) => part === value[index]) ? value : parts
  }
  const entries = Object.entries(value)
  const made = entries.map(([key, part]): readonly [string, unknown] => [key.toWellFormed(), mended(part)])
  const isSame = made.every(
    ([key, part], index) => key === entries[index]?.[0] && part === entries[index]?.[1],
  )
  return isSame ? value : Object.fromEntries(made)
}
