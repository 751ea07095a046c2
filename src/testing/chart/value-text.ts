/** Values as texts that are equal for equal values, in whatever order their keys were set. */
import { AppendLog } from '../../actors/values/append-log.ts'
import { Derived } from '../../actors/values/derived.ts'
import { digestText } from '../../actors/values/digest.ts'
import { toErrorData } from '../../errors.ts'

const longest = 100

/** The text, or its beginning and a digest of the whole. */
export function shortened(text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 20)}… #${shortDigest(text)}`
}

export function shortDigest(...parts: readonly string[]): string {
  return digestText(...parts).slice(-6)
}

/** Each object becomes a text once: inputs of children share most of their parts. */
export class ValueTexts {
  readonly #known = new WeakMap<object, string>()

  of(value: unknown): string {
    if (typeof value !== 'object' || value === null) return primitive(value)
    const known = this.#known.get(value)
    if (known !== undefined) return known
    this.#known.set(value, '"(circular)"')
    const text = this.#object(value)
    this.#known.set(value, text)
    return text
  }

  #object(value: object): string {
    if (value instanceof AppendLog) return `[${value.length} items #${value.digest}]`
    const plain = plainOf(value)
    if (Array.isArray(plain)) return `[${plain.map((item) => this.of(item)).join(',')}]`
    if (typeof plain !== 'object' || plain === null) return primitive(plain)
    const fields = Object.entries(plain).filter(([, field]) => isWritten(field))
    const sorted = fields.toSorted(([a], [b]) => (a < b ? -1 : 1))
    return `{${sorted.map(([name, field]) => `${JSON.stringify(name)}:${this.of(field)}`).join(',')}}`
  }
}

function primitive(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'function') return '"(function)"'
  return String(value)
}

/** Whether JSON has a field of this value. */
export function isWritten(value: unknown): boolean {
  return value !== undefined && !(value instanceof Derived)
}

/** An object as JSON has it; a map, a set and an error by their content, an actor by its id. */
export function plainOf(value: object): unknown {
  if (value instanceof AppendLog) return value.toArray()
  if (value instanceof Map) return fieldsOf(value)
  if (value instanceof Set) return [...value]
  if (value instanceof Error) return toErrorData(value)
  if ('sessionId' in value && 'id' in value) return `(actor ${String(value.id)})`
  if ('toJSON' in value && typeof value.toJSON === 'function') return (value.toJSON as () => unknown)()
  return value
}

/** A key that is no text would be equal to its text, and to other objects. */
function fieldsOf(map: ReadonlyMap<unknown, unknown>): unknown {
  return [...map.keys()].every((key) => typeof key === 'string') ? Object.fromEntries(map) : [...map]
}
