/** Frozen values: those that the journal holds, and that users' functions receive, must stay as they were. */

/** Freezes a JSON-like value of ours, and all that it holds. A part that is frozen already is not walked again. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const part of Object.values(value)) deepFreeze(part)
  return value
}
