/**
 * The order of the nodes of a diagram, from its beginning to its end. An edge against the order is drawn as a way back, so
 * a good order has few of them: it is that of the definition, or that of the steps from the initial state.
 */
import type { Diagram, DiagramEdge } from './diagram.ts'

/** By the ids of the nodes, their places from 0. Entries come first, then states, final states and exits. */
export function nodeOrder({ nodes, edges }: Diagram): ReadonlyMap<string, number> {
  const kinds = ['entry', 'state', 'ends', 'exit']
  const defined = nodes.toSorted((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind)).map(({ id }) => id)
  const first = placesOf(defined)
  const steps = stepsFrom('initial', edges)
  const stepped = defined.toSorted((a, b) => rankOf(a) - rankOf(b))
  const second = placesOf(stepped)
  return backward(edges, second) < backward(edges, first) ? second : first

  function rankOf(id: string): number {
    const kind = nodes.find((node) => node.id === id)?.kind ?? 'state'
    return kind === 'state' ? (steps.get(id) ?? nodes.length) : (kinds.indexOf(kind) - 0.5) * nodes.length * 2
  }
}

function placesOf(ids: readonly string[]): ReadonlyMap<string, number> {
  return new Map(ids.map((id, place) => [id, place]))
}

function backward(edges: readonly DiagramEdge[], places: ReadonlyMap<string, number>): number {
  return edges.filter((edge) => isBackward(edge, places)).length
}

export function isBackward({ from, to }: DiagramEdge, places: ReadonlyMap<string, number>): boolean {
  return (places.get(from) ?? 0) > (places.get(to) ?? 0)
}

/** The number of edges on the shortest way from a node to each that it leads to. */
function stepsFrom(start: string, edges: readonly DiagramEdge[]): ReadonlyMap<string, number> {
  const steps = new Map([[start, 0]])
  const targets = Map.groupBy(edges, ({ from }) => from)
  for (const [id, count] of steps)
    for (const { to } of targets.get(id) ?? []) if (!steps.has(to)) steps.set(to, count + 1)
  return steps
}
