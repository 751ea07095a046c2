/** The values that occur in the fields of many objects: short enough to read where the objects are too many. */
import { isWritten, plainOf, shortDigest, shortened, type ValueTexts } from '../chart/value-text.ts'

const mostListed = 6

export class FieldValues {
  readonly #texts: ValueTexts
  /** By subject and path, the texts of the values. */
  readonly #values = new Map<string, Map<string, Set<string>>>()
  /** The paths at which an object was met: most objects are parts of many. */
  readonly #met = new WeakMap<object, Set<string>>()

  constructor(texts: ValueTexts) {
    this.#texts = texts
  }

  add(subject: string, value: unknown): void {
    const fields = this.#values.get(subject) ?? new Map<string, Set<string>>()
    this.#values.set(subject, fields)
    this.#walk(fields, subject, '', value)
  }

  #walk(fields: Map<string, Set<string>>, subject: string, path: string, value: unknown): void {
    if (!isWritten(value)) return
    if (typeof value === 'object' && value !== null) {
      const places = this.#met.get(value) ?? new Set<string>()
      this.#met.set(value, places)
      const place = `${subject} ${path}`
      if (places.has(place)) return
      places.add(place)
      const plain = plainOf(value)
      const parts = Array.isArray(plain)
        ? plain.map((item: unknown) => [`${path}[]`, item] as const)
        : isFields(plain)
          ? Object.entries(plain).map(
              ([name, part]) => [path === '' ? name : `${path}.${name}`, part] as const,
            )
          : []
      for (const [inner, part] of parts) this.#walk(fields, subject, inner, part)
      if (parts.length > 0) return
    }
    const values = fields.get(path) ?? new Set<string>()
    fields.set(path, values.add(this.#texts.of(value)))
  }

  /** `subject`, and below it each field with its values. */
  lines(): readonly string[] {
    return sortedEntries(this.#values).flatMap(([subject, fields]) => [
      subject,
      ...sortedEntries(fields).map(([path, values]) => `  ${path || '(itself)'}: ${listed(values)}`),
    ])
  }
}

function isFields(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function listed(values: ReadonlySet<string>): string {
  const sorted = [...values].toSorted()
  const shown = sorted.slice(0, mostListed).map(shortened).join(' | ')
  const rest = sorted.length - mostListed
  return rest <= 0 ? shown : `${shown} | … ${rest} more #${shortDigest(...sorted)}`
}

export function sortedEntries<Value>(map: ReadonlyMap<string, Value>): readonly (readonly [string, Value])[] {
  return [...map].toSorted(([a], [b]) => (a < b ? -1 : 1))
}
