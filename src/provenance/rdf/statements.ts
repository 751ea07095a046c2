/** The statements of a graph while it is made: each once, in the order of their graphs and subjects. */
import { DataFactory } from 'n3'
import type { Quad } from './rdf.ts'
import { iriOf, namespaces, type Term } from './terms.ts'

type Node = ReturnType<typeof DataFactory.namedNode> | ReturnType<typeof DataFactory.literal>

const datatype = (name: string) => DataFactory.namedNode(namespaces.xsd + name)
const integer = datatype('integer')
const double = datatype('double')
const boolean = datatype('boolean')
const dateTime = datatype('dateTime')

export class Statements {
  readonly #graphs = new Map<string, Map<string, Description>>([['', new Map()]])
  #added: Quad[] = []

  /** The statements about one subject. `graph`: by its URI; without it, the default graph. */
  about(subject: string, graph = ''): Description {
    const subjects = this.#graphs.get(graph) ?? new Map<string, Description>()
    this.#graphs.set(graph, subjects)
    const description =
      subjects.get(subject) ?? new Description(subject, graph, (quad) => this.#added.push(quad))
    subjects.set(subject, description)
    return description
  }

  /** The statements that were added since the last call, in the order in which they were added. */
  added(): Quad[] {
    const added = this.#added
    this.#added = []
    return added
  }

  quads(): Quad[] {
    return Array.from(this.#graphs.values(), (subjects) =>
      Array.from(subjects.values(), (description) => description.quads()),
    ).flat(2)
  }
}

/** The statements about one subject, in one graph. To add one twice changes nothing. */
export class Description {
  readonly #subject
  readonly #graph
  readonly #quads = new Map<string, Quad>()
  readonly #onAdd: (quad: Quad) => void

  constructor(subject: string, graph: string, onAdd: (quad: Quad) => void) {
    this.#onAdd = onAdd
    this.#subject = DataFactory.namedNode(subject)
    this.#graph = graph === '' ? DataFactory.defaultGraph() : DataFactory.namedNode(graph)
  }

  is(...types: readonly Term[]): this {
    for (const type of types) this.#add('rdf:type', DataFactory.namedNode(iriOf(type)))
    return this
  }

  link(predicate: Term, ...uris: readonly string[]): this {
    for (const uri of uris) this.#add(predicate, DataFactory.namedNode(uri))
    return this
  }

  /** Skips texts that are `undefined`. Half of a surrogate pair is no text: it becomes U+FFFD. */
  text(predicate: Term, ...texts: readonly (string | undefined)[]): this {
    for (const text of texts) {
      if (text !== undefined) this.#add(predicate, DataFactory.literal(text.toWellFormed()))
    }
    return this
  }

  number(predicate: Term, value: number | undefined): this {
    if (value !== undefined) {
      this.#add(predicate, DataFactory.literal(String(value), Number.isInteger(value) ? integer : double))
    }
    return this
  }

  flag(predicate: Term, value: boolean): this {
    this.#add(predicate, DataFactory.literal(String(value), boolean))
    return this
  }

  /** `at`: milliseconds since 1970. */
  time(predicate: Term, at: number): this {
    this.#add(predicate, DataFactory.literal(new Date(at).toISOString(), dateTime))
    return this
  }

  quads(): Quad[] {
    return [...this.#quads.values()]
  }

  #add(predicate: Term, object: Node): void {
    const key = `${predicate} ${object.id}`
    if (this.#quads.has(key)) return
    const iri = DataFactory.namedNode(iriOf(predicate))
    const quad = DataFactory.quad(this.#subject, iri, object, this.#graph) as Quad
    this.#quads.set(key, quad)
    this.#onAdd(quad)
  }
}
