/** The kinds of errors: the names of their classes as literals, which a minifier leaves as they are. */

/**
 * The name under which a class of errors keeps its own name, as a literal: `static readonly [errorKind] = 'MyError'`, on a class
 * that extends `TroupeError`. The error keeps that `name` under minifiers, and `instanceof` knows it in other copies of the package.
 */
export const errorKind: unique symbol = Symbol.for('troupe.error') as never

/** The kinds of a class and of the classes above it, its own first. A class of a user has none of its own. */
export function kindsOf(kind: unknown): readonly string[] {
  if (typeof kind !== 'function') return []
  const above = kindsOf(Object.getPrototypeOf(kind))
  return Object.hasOwn(kind, errorKind) ? [Reflect.get(kind, errorKind) as string, ...above] : above
}

/** Whether an error tells that it is of the kind of this class. No error is of the kind of a class of a user. */
export function isOfKind(kind: object, value: unknown): boolean {
  if (!(value instanceof Error) || !Object.hasOwn(kind, errorKind)) return false
  const kinds: unknown = Reflect.get(value, errorKind)
  return Array.isArray(kinds) && kinds.includes(Reflect.get(kind, errorKind))
}
