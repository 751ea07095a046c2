/**
 * The outline of a value for an inspector: plain JSON of bounded size, for any value. A conversation is shown by its
 * length and its last message, so a long one costs no more than a short one. An object with a class is shown by the
 * name of the class, unless it has a `toJSON`.
 */
import { AppendLog } from './append-log.ts'
import type { JsonValue } from './json.ts'

/** How much of a value an outline shows. */
export interface OutlineLimits {
  /** Characters of a text. */
  readonly text: number
  /** Items of a list and fields of an object. */
  readonly items: number
  readonly depth: number
  /** Objects and lists in all. */
  readonly values: number
}

const usual: OutlineLimits = { text: 1_000, items: 40, depth: 10, values: 1_500 }

/** Never throws. */
export function outline(value: unknown, limits = usual): JsonValue | undefined {
  return new Outliner(limits).of(value, 0)
}

/** An outline, and whether it is less than the value: a text, a list or the depth of it was cut. */
export interface Outlined {
  readonly value: JsonValue | undefined
  readonly isCut: boolean
}

/** Never throws. */
export function outlined(value: unknown, limits: OutlineLimits): Outlined {
  const outliner = new Outliner(limits)
  return { value: outliner.of(value, 0), isCut: outliner.isCut }
}

class Outliner {
  isCut = false
  readonly #limits: OutlineLimits
  readonly #above = new Set<object>()
  #left: number

  constructor(limits: OutlineLimits) {
    this.#limits = limits
    this.#left = limits.values
  }

  of(value: unknown, depth: number): JsonValue | undefined {
    switch (typeof value) {
      case 'string':
        return this.#shortened(value)
      case 'boolean':
        return value
      case 'number':
        return Number.isFinite(value) ? value : String(value)
      case 'undefined':
        return undefined
      case 'object':
        return value === null ? null : this.#ofObject(value, depth)
      case 'function':
        return { type: value.name } // as inspectors know them
      case 'bigint':
      case 'symbol':
        return String(value)
    }
  }

  #ofObject(value: object, depth: number): JsonValue | undefined {
    if (this.#above.has(value)) return '[circular]'
    if (depth >= this.#limits.depth || this.#left-- <= 0) {
      this.isCut = true
      return '[…]'
    }
    this.#above.add(value)
    try {
      return this.#parts(value, depth + 1)
    } catch {
      return '[unreadable]' // a getter, a proxy or a toJSON that throws
    } finally {
      this.#above.delete(value)
    }
  }

  #parts(value: object, depth: number): JsonValue | undefined {
    if (value instanceof AppendLog) {
      const { length } = value
      return length === 0 ? { length } : this.#fields({ length, last: value.at(-1) as unknown }, depth)
    }
    if (Array.isArray(value)) return this.#items(value, value.length, depth)
    if (value instanceof Map || value instanceof Set) return this.#items(value, value.size, depth)
    if (ArrayBuffer.isView(value)) return `[${value.constructor.name} of ${value.byteLength} bytes]`
    if (value instanceof Error) {
      const { name, message } = value
      return this.#fields(Object.assign({}, value, { name, message }), depth)
    }
    if ('toJSON' in value && typeof value.toJSON === 'function') {
      return this.of((value as { toJSON(): unknown }).toJSON(), depth)
    }
    const prototype = Object.getPrototypeOf(value) as object | null
    if (prototype !== null && prototype !== Object.prototype) return `[${prototype.constructor.name}]`
    return this.#fields(value, depth)
  }

  #items(items: Iterable<unknown>, length: number, depth: number): JsonValue {
    const most = this.#limits.items
    const shown: JsonValue[] = []
    for (const item of items) {
      if (shown.length === most) {
        this.isCut = true
        shown.push(`… ${length - most} more`)
        break
      }
      shown.push(this.of(item, depth) ?? null)
    }
    return shown
  }

  #fields(value: object, depth: number): JsonValue {
    const most = this.#limits.items
    const names = Object.keys(value)
    const shown: [string, JsonValue][] = []
    for (const name of names.slice(0, most)) {
      const field = this.of((value as Record<string, unknown>)[name], depth)
      if (field !== undefined) shown.push([name, field])
    }
    if (names.length > most) {
      this.isCut = true
      shown.push(['…', `${names.length - most} more`])
    }
    return Object.fromEntries(shown)
  }

  #shortened(text: string): string {
    const most = this.#limits.text
    if (text.length <= most) return text
    this.isCut = true
    return `${text.slice(0, most)}… (${text.length - most} more characters)`
  }
}
