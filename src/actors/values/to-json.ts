/** The one way in which foreign values become JSON before they enter the journal. */
import { TerminalError } from '../../errors.ts'
import type { JsonValue } from './json.ts'
import { mostLevelsWithin } from './measure.ts'

/** A copy of a value as JSON, or the part that JSON cannot hold, with its path. */
export type JsonCopy =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly problem: string; readonly cause?: unknown }

/**
 * A plain JSON copy of `value`, as the journal holds it and a replay sees it. As in JSON, fields that are `undefined`
 * are left out, `undefined` elsewhere is `null`, `-0` is `0`, and `toJSON` is used. Everything else that JSON would
 * change or drop is a problem. `root`: the beginning of the path in the problem.
 */
export function copyAsJson(value: unknown, root: string, replace?: Replace): JsonCopy {
  const top = { value: {}, key: undefined, above: undefined, depth: 0, replace }
  try {
    return { ok: true, value: copyOf(value, undefined, top) }
  } catch (thrown) {
    if (!(thrown instanceof Loss)) throw thrown
    const { path, message, cause } = thrown
    return { ok: false, problem: `${root}${path} ${message}`, ...(cause === undefined ? {} : { cause }) }
  }
}

/** Gives the JSON that stands for an object; `undefined`: the object is written as others are. */
export type Replace = (value: object) => JsonValue | undefined

export interface JsonNaming {
  /** The beginning of the path to a value. Default: `value`. */
  readonly root?: string
  /** Of the error. Default: `NOT_SERIALISABLE`. */
  readonly code?: string
  readonly replace?: Replace
}

/** As `copyAsJson`. Throws a `TerminalError` that names the path for a value that JSON cannot hold. */
export function toJsonValue(value: unknown, what: string, naming: JsonNaming = {}): JsonValue {
  const { root = 'value', code = 'NOT_SERIALISABLE', replace } = naming
  const copy = copyAsJson(value, root, replace)
  if (copy.ok) return copy.value
  throw new TerminalError(`${what} cannot be written as JSON: ${copy.problem}.`, {
    code,
    ...(copy.cause === undefined ? {} : { cause: copy.cause }),
  })
}

type Key = string | number | undefined

/** An object or array that is being copied, and its position. */
interface Place {
  readonly value: object
  readonly key: Key
  readonly above: Place | undefined
  readonly depth: number
  readonly replace: Replace | undefined
}

class Loss extends Error {
  readonly path: string
  constructor(problem: string, key: Key, above: Place | undefined, cause?: unknown) {
    super(problem, { cause })
    this.path = pathOf(key, above)
  }
}

function copyOf(value: unknown, key: Key, above: Place): JsonValue {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      if (!Number.isFinite(value)) throw new Loss(`is ${value}`, key, above)
      return value === 0 ? 0 : value
    case 'undefined':
      return null
    case 'object':
      return value === null ? null : copyOfObject(value, key, above)
    case 'bigint':
    case 'function':
    case 'symbol':
      return copyOfForeign(value, key, above)
  }
}

function copyOfObject(value: object, key: Key, above: Place): JsonValue {
  const other = above.replace?.(value)
  if (other !== undefined) return other
  // Also those with a toJSON: that of a Buffer makes a list of numbers.
  if (ArrayBuffer.isView(value)) throw new Loss(lossOfBytes(value), key, above)
  const place = placeOf(value, key, above)
  return hasToJson(value) ? copyOfWritten(value, key, place) : copyOfParts(value, place)
}

function placeOf(value: object, key: Key, above: Place): Place {
  const depth = above.depth + 1
  for (let place: Place | undefined = above; place !== undefined; place = place.above) {
    if (place.value === value) throw new Loss('contains itself', key, above)
  }
  if (depth > mostLevelsWithin) throw new Loss(`is more than ${mostLevelsWithin} levels deep`, key, above)
  return { value, key, above, depth, replace: above.replace }
}

function copyOfParts(value: object, place: Place): JsonValue {
  if (Array.isArray(value)) return copyOfArray(value, place)
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) {
    if (isBoxed(value)) return copyOf(value.valueOf(), place.key, place.above ?? place)
    const loss = lossOfInstance(value)
    if (loss !== undefined) throw new Loss(loss, place.key, place.above)
  }
  return copyOfFields(value, place)
}

// Decides which instances of classes JSON can hold: those whose enumerable own fields are all that they show.

/** The loss of an instance without `toJSON` as JSON, as the end of a sentence; `undefined`: none. */
function lossOfInstance(value: object): string | undefined {
  if (value instanceof Error) return `is ${article(nameOf(value))} ${nameOf(value)}`
  const tag = tagOf(value)
  if (ArrayBuffer.isView(value)) return lossOfBytes(value)
  if (exotic.has(tag)) return `is ${article(tag)} ${tag}`
  const { accessor, method } = shapeOf(Object.getPrototypeOf(value) as object)
  if (accessor !== undefined) {
    return `is ${article(nameOf(value))} ${nameOf(value)}, whose accessor "${accessor}" is no field: give it a toJSON`
  }
  if (method && Object.keys(value).length === 0) {
    return `is ${article(nameOf(value))} ${nameOf(value)} without fields of its own: give it a toJSON`
  }
  return undefined
}

/** Bytes are no JSON: a file holds them. */
function lossOfBytes(value: ArrayBufferView): string {
  const tag = tagOf(value)
  return `is ${article(tag)} ${tag}`
}

function tagOf(value: object): string {
  return Object.prototype.toString.call(value).slice(8, -1)
}

/** A string, number or boolean as an object. */
function isBoxed(value: object): boolean {
  const tag = tagOf(value)
  return tag === 'Number' || tag === 'String' || tag === 'Boolean'
}

/** Classes whose content is in no field. */
const exotic: ReadonlySet<string> = new Set([
  'ArrayBuffer',
  'Date',
  'Error',
  'Map',
  'Promise',
  'RegExp',
  'Set',
  'SharedArrayBuffer',
  'WeakMap',
  'WeakRef',
  'WeakSet',
])

interface Shape {
  readonly accessor?: string
  readonly method: boolean
}

const shapes = new WeakMap<object, Shape>()

/** The members that instances have besides their own fields. */
function shapeOf(prototype: object): Shape {
  const known = shapes.get(prototype)
  if (known !== undefined) return known
  const above = Object.getPrototypeOf(prototype) as object | null
  // The end of the chain, also where the object comes from another realm: `vm`, an iframe.
  if (above === null && Object.hasOwn(prototype, 'hasOwnProperty')) return { method: false }
  const inherited = above === null ? { method: false } : shapeOf(above)
  const { constructor: _constructor, ...descriptors } = Object.getOwnPropertyDescriptors(prototype)
  const own = Object.entries(descriptors)
  const accessor = own.find(([, descriptor]) => descriptor.get !== undefined)?.[0] ?? inherited.accessor
  const shape = {
    method: inherited.method || own.length > 0,
    ...(accessor === undefined ? {} : { accessor }),
  }
  shapes.set(prototype, shape)
  return shape
}

function nameOf(value: object): string {
  const tag = tagOf(value)
  if (tag !== 'Object' && tag !== 'Error') return tag
  const made: unknown = (value as { readonly constructor?: unknown }).constructor
  return typeof made === 'function' && made.name !== '' ? made.name : 'object'
}

function article(name: string): 'a' | 'an' {
  return /^[AEIO]/i.test(name) ? 'an' : 'a'
}

/** The value as its `toJSON` returns it; as in JSON, a `toJSON` of the result is not called. */
function copyOfWritten(value: (object | bigint) & WithToJson, key: Key, place: Place): JsonValue {
  if (value instanceof Date && Number.isNaN(value.getTime()))
    throw new Loss('is an invalid Date', key, place.above)
  let written: unknown
  try {
    written = value.toJSON(String(key ?? ''))
  } catch (cause) {
    throw new Loss('has a toJSON that throws', key, place.above, cause)
  }
  if (typeof written !== 'object' || written === null) return copyOf(written, key, place.above ?? place)
  return copyOfParts(written, written === value ? place : placeOf(written, undefined, place))
}

function copyOfArray(items: readonly unknown[], place: Place): JsonValue {
  const copy: JsonValue[] = []
  // Not `map`: a hole is `null` as in JSON.
  for (let index = 0; index < items.length; index++) copy.push(copyOf(items[index], index, place))
  return copy
}

function copyOfFields(value: object, place: Place): JsonValue {
  const copy: Record<string, JsonValue> = {}
  for (const name of Object.keys(value)) {
    const part = fieldOf(value, name, place)
    if (part === undefined) continue
    const written = copyOf(part, name, place)
    if (name === '__proto__') {
      Object.defineProperty(copy, name, {
        value: written,
        enumerable: true,
        writable: true,
        configurable: true,
      })
    } else copy[name] = written
  }
  return copy
}

function fieldOf(value: object, name: string, place: Place): unknown {
  try {
    return (value as Record<string, unknown>)[name]
  } catch (cause) {
    throw new Loss('cannot be read', name, place, cause)
  }
}

function copyOfForeign(value: bigint | symbol | object, key: Key, above: Place): JsonValue {
  if (typeof value === 'symbol' || !hasToJson(value)) throw new Loss(`is a ${typeof value}`, key, above)
  return copyOfWritten(value, key, placeOf(Object(value) as object, key, above))
}

interface WithToJson {
  toJSON(key: string): unknown
}

function hasToJson(value: object | bigint): value is (object | bigint) & WithToJson {
  return typeof (value as Partial<WithToJson>).toJSON === 'function'
}

const plainName = /^[A-Za-z_$][\w$]*$/

/** Keys of a path at its beginning that a message shows; the rest is left out before the last one. */
const shownKeys = 10

function pathOf(key: Key, above: Place | undefined): string {
  const segments = [segmentOf(key)]
  for (let place = above; place !== undefined; place = place.above) segments.push(segmentOf(place.key))
  const path = segments.toReversed().filter((segment) => segment !== '')
  return path.length <= shownKeys + 1 ? path.join('') : `${path.slice(0, shownKeys).join('')}…${path.at(-1)}`
}

function segmentOf(key: Key): string {
  if (key === undefined) return ''
  if (typeof key === 'number') return `[${key}]`
  return plainName.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`
}
