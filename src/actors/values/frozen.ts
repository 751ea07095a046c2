/** Frozen values: those that the journal holds, and that users' functions receive, must stay as they were. */

/** Freezes a JSON-like value of ours, and all that it holds. A part that is frozen already is not walked again. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  // Not `Object.values`: it makes a list for each object.
  if (Array.isArray(value)) for (const part of value as readonly unknown[]) freezePart(part)
  else for (const name in value) freezePart(value[name])
  return value
}

function freezePart(part: unknown): void {
  if (typeof part === 'object') deepFreeze(part)
}
