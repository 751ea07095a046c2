/** Quads as text: `n3` writes Turtle, TriG and N-Quads. */
import { Writer } from 'n3'
import type { Quad } from './rdf.ts'
import { namespaces } from './terms.ts'

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
