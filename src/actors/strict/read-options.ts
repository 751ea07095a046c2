/**
 * The one reader of objects from outside. An object is read against a table of its fields: a key that is not in the
 * table is an error that names the nearest one, and so is a wrong value. Each field is read once, own or inherited, so
 * that the value in use is the value that was checked.
 */
import { ConfigurationError } from '../../errors.ts'
import { isGiven, unknownKeyOf, unknownKeyText } from './known-keys.ts'
import type { Hint } from './plain-name.ts'

/** Returns the value to use, or throws a `ConfigurationError` that names the fault at `where`. */
export type Reader<Value = unknown> = (given: unknown, where: string) => Value

/** How a field of an object is read. */
export interface Field {
  readonly read: Reader
  /** `undefined` is then a wrong value. */
  readonly isRequired?: boolean
  /** The field holds functions alone: no part of it is JSON. */
  readonly isFunction?: boolean
}

/** A row for each field of an object, no more and no less. */
export type Fields<Given> = { readonly [Name in keyof Given]-?: Field }

export interface Defaulted<Value> extends Field {
  readonly default: Value
}

/** A field that must be there. */
export const required = /* @__NO_SIDE_EFFECTS__ */ (read: Reader): Field => ({ read, isRequired: true })

/** A field that may be absent. */
export const optional = /* @__NO_SIDE_EFFECTS__ */ (read: Reader): Field => ({ read })

/** `value` is the default. The reader does not put it in: the value may be given elsewhere. */
/* @__NO_SIDE_EFFECTS__ */
export function withDefault<const Value>(read: Reader, value: Value): Defaulted<Value> {
  return { read, default: value }
}

/**
 * A copy of the given fields, without those that are `undefined`. `hint`: says where an unknown key belongs.
 * Throws a `ConfigurationError` for a value that is no object, for an unknown key and for a wrong value.
 */
export function readOptions<Given extends object>(
  given: unknown,
  where: string,
  fields: Fields<Given>,
  hint?: Hint,
): Given {
  if (!isObject(given) || given instanceof Promise) {
    throw new ConfigurationError(`${where}: expected an object of options, not ${show(given)}.`)
  }
  return readFields(given, where, fields, { join: ': ', word: 'option', hint }) as Given
}

interface ObjectWords {
  readonly expected?: string
  /** The word for its keys. */
  readonly word?: 'option' | 'field'
  /** Says where an unknown key belongs. */
  readonly hint?: Hint
}

/** Reads an object inside another one. */
/* @__NO_SIDE_EFFECTS__ */
export function anObject<Given extends object>(
  fields: Fields<Given>,
  { expected = 'an object', word = 'option', hint }: ObjectWords = {},
): Reader<Given> {
  return (given, where) => {
    if (!isObject(given)) throw wrong(given, where, expected)
    return readFields(given, where, fields, { join: '.', word, hint }) as Given
  }
}

interface Wording {
  /** Between the place and the name of a field. */
  readonly join: string
  readonly word: 'option' | 'field'
  readonly hint: Hint | undefined
}

function readFields(
  given: object,
  where: string,
  fields: Readonly<Record<string, Field>>,
  { join, word, hint }: Wording,
): Record<string, unknown> {
  const names = assertKnown(given, where, fields, { word, hint })
  const copy: Record<string, unknown> = {}
  for (const name of names) {
    const { read, isRequired = false } = fields[name] as Field
    const value: unknown = isGiven(given, name) ? Reflect.get(given, name) : undefined
    if (value !== undefined || isRequired) copy[name] = read(value, `${where}${join}${name}`)
  }
  return copy
}

/** Returns the names of the fields. Throws a `ConfigurationError` for a key that is none of them. */
export function assertKnown(
  given: object,
  where: string,
  fields: Readonly<Record<string, Field>>,
  { word, hint }: Pick<Wording, 'word' | 'hint'>,
): readonly string[] {
  const names = namesOf(fields)
  const unknown = unknownKeyOf(given, names)
  if (unknown === undefined) return names
  throw new ConfigurationError(`${where}: ${unknownKeyText(unknown, names, word, hint)}`)
}

/** Tables do not change, and each run reads its options against one. */
const namesByTable = new WeakMap<object, readonly string[]>()

function namesOf(fields: Readonly<Record<string, Field>>): readonly string[] {
  const known = namesByTable.get(fields)
  if (known !== undefined) return known
  const names = Object.keys(fields)
  namesByTable.set(fields, names)
  return names
}

/** The defaults of the table, by field. */
/* @__NO_SIDE_EFFECTS__ */
export function defaultsOf<Table extends Readonly<Record<string, Field>>>(table: Table): DefaultsOf<Table> {
  const rows = Object.entries<Field & { readonly default?: unknown }>(table)
  return Object.fromEntries(
    rows.flatMap(([name, field]) => (field.default === undefined ? [] : [[name, field.default]])),
  ) as DefaultsOf<Table>
}

export type DefaultsOf<Table> = {
  readonly [
    Name in keyof Table as Table[Name] extends { readonly default: unknown } ? Name : never
  ]: Table[Name] extends { readonly default: infer Value } ? Value : never
}

/** The fields of `given` that are JSON. */
export function jsonPartOf(table: Readonly<Record<string, Field>>, given: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(given).filter(([name]) => table[name]?.isFunction !== true))
}

/** The error for a value: what was expected at this place, and what was given. */
export function wrong(given: unknown, where: string, expected: string): ConfigurationError {
  return new ConfigurationError(`${where} must be ${expected}, not ${show(given)}.`)
}

/** Whether the value is an object, and no list. */
export function isObject(given: unknown): given is object {
  return typeof given === 'object' && given !== null && !Array.isArray(given)
}

const longestShown = 80

/** A value as an error shows it. */
export function show(given: unknown): string {
  switch (typeof given) {
    case 'bigint':
      return `${given}n`
    case 'function':
      return 'a function'
    case 'number':
    case 'boolean':
    case 'undefined':
    case 'symbol':
      return String(given)
    case 'string':
    case 'object':
      return shownAsJson(given)
  }
}

function shownAsJson(given: string | object | null): string {
  if (given instanceof Promise) return 'a promise: await it first'
  const text = jsonOf(given)
  if (text !== undefined && text.length <= longestShown) return text
  if (typeof given === 'string') return `${JSON.stringify(given.slice(0, longestShown))}…`
  return Array.isArray(given) ? 'a list' : 'an object'
}

/** `undefined` for a value that JSON cannot hold. */
function jsonOf(given: unknown): string | undefined {
  try {
    return JSON.stringify(given)
  } catch {
    return undefined
  }
}
