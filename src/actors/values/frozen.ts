/** Values that nobody can change: what the journal holds, and users' functions are shown, must stay as it was. */

/** Freezes a JSON-like value of ours, and all that it holds. What is frozen already is not looked into again. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const part of Object.values(value)) deepFreeze(part)
  return value
}
