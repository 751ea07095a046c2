/** The edges of golden graphs as lines: each with all its work, or in groups with a digest of each. */
import { edgesHeading, inputsHeading, valuesHeading } from '../chart/golden-text.ts'
import type { Work } from './edge-work.ts'
import { shortDigest, shortened, isWritten, plainOf, type ValueTexts } from '../chart/value-text.ts'

/** A state: its value, and a digest of its key. */
export interface Place {
  readonly value: string
  readonly key: string
}

export interface EdgeEntry {
  /** `undefined` for the start. */
  readonly from: Place | undefined
  readonly to: Place
  /** The stimulus with the id of its child. */
  readonly name: string
  /** The stimulus with the source of its child. */
  readonly kind: string
  readonly work: readonly Work[]
}

export interface GoldenList {
  /** Begins the graph of another input. */
  begin(inputName: string, states: number): void
  add(entry: EdgeEntry): void
  lines(): readonly string[]
}

/** `groups`: edges that differ in values alone are one entry. */
export function goldenList(form: 'edges' | 'groups', texts: ValueTexts): GoldenList {
  return form === 'groups' ? new GroupList(texts) : new EdgeList(texts)
}

class EdgeList implements GoldenList {
  readonly #texts: ValueTexts
  readonly #lines: string[] = []

  constructor(texts: ValueTexts) {
    this.#texts = texts
  }

  begin(inputName: string, states: number): void {
    this.#lines.push('', `## ${inputName}: ${states} states`, '')
  }

  add({ from, to, name, work }: EdgeEntry): void {
    this.#lines.push(
      `${from === undefined ? '' : `${shown(from)} · `}${name} → ${shown(to)}`,
      ...work.map(({ verb, what, detail }) =>
        detail === undefined ? `  ${verb} ${what}` : `  ${verb} ${what} ${shortened(this.#texts.of(detail))}`,
      ),
    )
  }

  lines(): readonly string[] {
    return this.#lines
  }
}

const digestsInLine = 14

class GroupList implements GoldenList {
  readonly #texts: ValueTexts
  readonly #values: FieldValues
  readonly #inputs: string[] = []
  #inputName = ''
  readonly #digests = new Map<string, string[]>()

  constructor(texts: ValueTexts) {
    this.#texts = texts
    this.#values = new FieldValues(texts)
  }

  begin(inputName: string, states: number): void {
    this.#inputName = inputName
    this.#inputs.push(`${inputName}: ${states} states`)
  }

  add({ from, to, name, kind, work }: EdgeEntry): void {
    const done = [...new Set(work.map(({ verb, what }) => `${verb} ${what}`))]
    const label = [`${from === undefined ? '' : `${from.value} · `}${kind} → ${to.value}`, ...done].join(', ')
    const details = work.map(({ verb, what, detail }) => `${verb} ${what} ${this.#texts.of(detail)}`)
    const digest = shortDigest([this.#inputName, from?.key, name, to.key, ...details].join('\n'))
    this.#digests.set(label, [...(this.#digests.get(label) ?? []), digest])
    for (const { verb, what, detail } of work) {
      if (verb !== 'stops' && detail !== undefined) this.#values.add(`${verb} ${what}`, detail)
    }
  }

  lines(): readonly string[] {
    const groups = sortedEntries(this.#digests).flatMap(([label, digests]) => [label, ...wrapped(digests)])
    return [
      ...section(inputsHeading, this.#inputs),
      ...section(edgesHeading, groups),
      ...section(valuesHeading, this.#values.lines()),
    ]
  }
}

const mostListed = 6

/** The values that occur in the fields of many objects: short enough to read where the objects are too many. */
class FieldValues {
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

function sortedEntries<Value>(map: ReadonlyMap<string, Value>): readonly (readonly [string, Value])[] {
  return [...map].toSorted(([a], [b]) => (a < b ? -1 : 1))
}

function section(heading: string, lines: readonly string[]): readonly string[] {
  return ['', heading, '', ...lines]
}

function shown({ value, key }: Place): string {
  return `${value} ~${key}`
}

function wrapped(digests: readonly string[]): readonly string[] {
  const sorted = digests.toSorted()
  return Array.from({ length: Math.ceil(sorted.length / digestsInLine) }, (_, line) => {
    const some = sorted.slice(line * digestsInLine, (line + 1) * digestsInLine)
    return `  #${some.join(' ')}`
  })
}
