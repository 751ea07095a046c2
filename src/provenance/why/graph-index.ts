/** Looks up the statements about a subject, in quads of any origin: named graphs make no difference. */
import type { Quad } from '../rdf/rdf.ts'
import { iriOf, type Term } from '../rdf/terms.ts'

export class GraphIndex {
  readonly #said = new Map<string, Map<string, Set<string>>>()
  /** By activity, the entities that it generated; and by entity, the activities that used it. */
  readonly #made = new Map<string, string[]>()
  readonly #users = new Map<string, string[]>()

  constructor(quads: Iterable<Quad>) {
    for (const { subject, predicate, object } of quads) {
      const said = this.#said.get(subject.value) ?? new Map<string, Set<string>>()
      this.#said.set(subject.value, said)
      const values = said.get(predicate.value) ?? new Set<string>()
      said.set(predicate.value, values)
      if (values.has(object.value)) continue
      values.add(object.value)
      if (predicate.value === iriOf('prov:wasGeneratedBy')) push(this.#made, object.value, subject.value)
      if (predicate.value === iriOf('prov:used')) push(this.#users, object.value, subject.value)
    }
  }

  get subjects(): Iterable<string> {
    return this.#said.keys()
  }

  all(subject: string, predicate: Term): readonly string[] {
    return [...(this.#said.get(subject)?.get(iriOf(predicate)) ?? [])]
  }

  one(subject: string, predicate: Term): string | undefined {
    return this.#said.get(subject)?.get(iriOf(predicate))?.values().next().value
  }

  number(subject: string, predicate: Term): number | undefined {
    const value = this.one(subject, predicate)
    return value === undefined ? undefined : Number(value)
  }

  is(subject: string, type: Term): boolean {
    return this.#said.get(subject)?.get(iriOf('rdf:type'))?.has(iriOf(type)) ?? false
  }

  madeBy(activity: string): readonly string[] {
    return this.#made.get(activity) ?? []
  }

  usersOf(entity: string): readonly string[] {
    return this.#users.get(entity) ?? []
  }

  /** The entities, and all that they are derived from, directly or not. */
  origins(from: readonly string[]): Set<string> {
    const reached = new Set(from)
    for (const uri of reached) {
      for (const origin of this.all(uri, 'prov:wasDerivedFrom')) reached.add(origin)
    }
    return reached
  }
}

function push(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key) ?? []
  lists.set(key, list)
  list.push(value)
}
