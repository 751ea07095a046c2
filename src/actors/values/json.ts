/** JSON as a type. */

export type JsonValue =
  string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue }

/** Whether the value is a plain record. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The same text for the same value, in any order of its keys. */
export function canonicalJson(value: JsonValue): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    isRecord(part) ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1))) : part,
  )
}

/** Whether two values are the same JSON, in any order of keys. A field that is `undefined` is as one that is missing. */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const [fields, others] = [one, other].map((value) =>
    Object.entries(value).filter(([, part]) => part !== undefined),
  ) as [[string, unknown][], [string, unknown][]]
  return (
    fields.length === others.length &&
    fields.every(
      ([key, part]) => Object.hasOwn(other, key) && isSameJson(part, (other as Record<string, unknown>)[key]),
    )
  )
}

/**
 * The type of a value as a journal gives it back: `toJSON` is used, a field that may be `undefined` may be missing, and
 * methods are not there.
 */
export type AsJson<Value> = unknown extends Value
  ? JsonValue
  : [Value] extends [JsonValue]
    ? Value
    : Value extends undefined | void
      ? null
      : Value extends { toJSON(): infer Written }
        ? AsJson<Written>
        : Value extends readonly unknown[]
          ? { readonly [Index in keyof Value]: AsJson<Value[Index]> }
          : Value extends object
            ? JsonFields<Value>
            : never

export type JsonFields<Value extends object> = Plain<
  {
    readonly [Name in keyof Value as Kept<Name, Value[Name]>]: AsJson<Value[Name]>
  } & {
    readonly [Name in keyof Value as Optional<Name, Value[Name]>]?: AsJson<Exclude<Value[Name], undefined>>
  }
>

/** Shows an intersection as one object. */
export type Plain<Fields> = { readonly [Name in keyof Fields]: Fields[Name] }

export type Kept<Name, Field> = Name extends string
  ? [Field] extends [(...given: never) => unknown]
    ? never
    : undefined extends Field
      ? never
      : Name
  : never

/** A field that can only be `undefined` is none, as in JSON: TypeScript adds such fields to unions of object literals. */
export type Optional<Name, Field> = Name extends string
  ? undefined extends Field
    ? [Exclude<Field, undefined>] extends [never]
      ? never
      : Name
    : never
  : never
