/** The terms and quads of a graph, as in RDF/JS: `n3` makes them, and any RDF/JS library takes them. */

export interface NamedNode {
  readonly termType: 'NamedNode'
  readonly value: string
  equals(other: unknown): boolean
}

/** A literal of RDF. */
export interface Literal {
  readonly termType: 'Literal'
  readonly value: string
  readonly language: string
  readonly datatype: NamedNode
  equals(other: unknown): boolean
}

/** The default graph of RDF. */
export interface DefaultGraph {
  readonly termType: 'DefaultGraph'
  readonly value: ''
  equals(other: unknown): boolean
}

/** There are no blank nodes: everything has a URI. */
export interface Quad {
  readonly termType: 'Quad'
  readonly value: ''
  readonly subject: NamedNode
  readonly predicate: NamedNode
  readonly object: NamedNode | Literal
  readonly graph: NamedNode | DefaultGraph
  equals(other: unknown): boolean
}
