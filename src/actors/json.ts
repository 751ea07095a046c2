/** JSON as a type, and the one way in which foreign values become JSON before they enter the journal. */
import { TerminalError } from '../errors.ts'

export type JsonValue =
  string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue }

/**
 * A plain JSON copy of `value`: what the journal will hold and what a replay will see. `undefined` is `null`.
 * Throws a `TerminalError` with code `NOT_SERIALISABLE` for a value that JSON cannot hold.
 */
export function toJsonValue(value: unknown, what: string): JsonValue {
  if (value === null || value === undefined) return null
  if (typeof value === 'string' || typeof value === 'boolean') return value
  try {
    const text = JSON.stringify(value)
    return text === undefined ? null : (JSON.parse(text) as JsonValue)
  } catch (cause) {
    throw new TerminalError(`${what} cannot be written as JSON`, { code: 'NOT_SERIALISABLE', cause })
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The same text for the same value, in whatever order its keys were written. */
export function canonicalJson(value: JsonValue): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    isRecord(part) ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1))) : part,
  )
}
