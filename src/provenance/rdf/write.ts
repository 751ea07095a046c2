/** Quads as text: `n3` writes Turtle, TriG and N-Quads, and JSON-LD is written here. */
import { Writer } from 'n3'
import type { Quad, Literal, NamedNode } from './rdf.ts'
import { namespaces, iriOf } from './terms.ts'

const { prov, tg, troupe, rdfs, xsd } = namespaces
const prefixes = { prov, tg, troupe, rdfs, xsd }

/** All graphs as one. */
export function toTurtle(quads: readonly Quad[]): string {
  const writer = new Writer({ format: 'Turtle', prefixes })
  const bySubject = Map.groupBy(quads, ({ subject }) => subject.value)
  for (const statements of bySubject.values()) {
    for (const { subject, predicate, object } of grouped(statements)) {
      writer.addQuad(subject, predicate, object)
    }
  }
  return ended(writer)
}

export function toTriG(quads: readonly Quad[]): string {
  const writer = new Writer({ format: 'TriG', prefixes })
  for (const { subject, predicate, object, graph } of grouped(quads)) {
    writer.addQuad(subject, predicate, object, graph)
  }
  return ended(writer)
}

export function toNQuads(quads: readonly Quad[]): string {
  const writer = new Writer({ format: 'N-Quads' })
  for (const { subject, predicate, object, graph } of quads) writer.addQuad(subject, predicate, object, graph)
  return ended(writer)
}

/** Groups the statements with the same predicate, so that it is written once. */
function grouped(quads: readonly Quad[]): readonly Quad[] {
  const key = ({ graph, subject, predicate }: Quad) => `${graph.value} ${subject.value} ${predicate.value}`
  return [...Map.groupBy(quads, key).values()].flat()
}

/** The text of a writer: without a stream to write to, it is complete at once. */
function ended(writer: Writer): string {
  let text = ''
  writer.end((error, written: string) => {
    if (error) throw error
    text = written
  })
  return text
}

type Value = { readonly '@id': string } | { readonly '@value': string; readonly '@type'?: string }
type Node = Record<string, string | string[] | Value[] | Node[]>

/**
 * Quads as JSON-LD in its expanded form, which needs no context and so no look-up. `n3` writes none; these graphs (URIs
 * and typed literals, no blank nodes, no lists) need only a page of code.
 */
export function toExpandedJsonLd(quads: readonly Quad[]): Node[] {
  const graphs = Map.groupBy(quads, ({ graph }) => graph.value)
  return Array.from(graphs, ([graph, statements]) => {
    const nodes = nodesOf(statements)
    return graph === '' ? nodes : [{ '@id': graph, '@graph': nodes }]
  }).flat()
}

function nodesOf(quads: readonly Quad[]): Node[] {
  const subjects = Map.groupBy(quads, ({ subject }) => subject.value)
  return Array.from(subjects, ([subject, statements]) => {
    const node: Node = { '@id': subject }
    for (const [predicate, objects] of Map.groupBy(statements, (statement) => statement.predicate.value)) {
      if (predicate === iriOf('rdf:type')) node['@type'] = objects.map(({ object }) => object.value)
      else node[predicate] = objects.map(({ object }) => valueOf(object))
    }
    return node
  })
}

function valueOf(object: NamedNode | Literal): Value {
  if (object.termType === 'NamedNode') return { '@id': object.value }
  const { value, datatype } = object
  return datatype.value === `${namespaces.xsd}string`
    ? { '@value': value }
    : { '@value': value, '@type': datatype.value }
}
