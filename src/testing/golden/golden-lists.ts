/** The edges of golden graphs as lines: each with all its work, or in groups with a digest of each. */
import { edgesHeading, inputsHeading, valuesHeading } from '../chart/golden-text.ts'
import { FieldValues, sortedEntries } from './field-values.ts'
import type { Work } from './edge-work.ts'
import { shortDigest, shortened, type ValueTexts } from '../chart/value-text.ts'

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
