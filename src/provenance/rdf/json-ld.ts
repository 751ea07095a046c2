/**
 * Quads as JSON-LD in its expanded form, which needs no context and so no look-up. `n3` writes none; these graphs (URIs
 * and typed literals, no blank nodes, no lists) need only a page of code.
 */
import type { Literal, NamedNode, Quad } from './rdf.ts'
import { iriOf, namespaces } from './terms.ts'

type Value = { readonly '@id': string } | { readonly '@value': string; readonly '@type'?: string }
type Node = Record<string, string | string[] | Value[] | Node[]>

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
