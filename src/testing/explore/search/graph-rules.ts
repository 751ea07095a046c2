/** Rules of the whole graph: an end can be reached from everywhere, and no work lies on a cycle. */
import type { ExploredGraph, Place, Step } from './graph.ts'

export interface GraphViolation {
  readonly rule: string
  readonly message: string
  readonly place: Place
}

export function graphViolations(graph: ExploredGraph): readonly GraphViolation[] {
  return [...unendingPlaces(graph), ...workOnCycles(graph)]
}

/** States of a graph that is not complete, and were not extended, may lead to an end. */
function unendingPlaces({ places, isComplete }: ExploredGraph): readonly GraphViolation[] {
  const before = new Map<Place, Place[]>()
  for (const place of places) {
    for (const { to } of place.next) {
      const known = before.get(to)
      if (known === undefined) before.set(to, [place])
      else known.push(place)
    }
  }
  const ending = new Set(
    places.filter(({ rest, next }) => rest !== undefined || (!isComplete && next.length === 0)),
  )
  for (const place of ending) for (const previous of before.get(place) ?? []) ending.add(previous)
  const found = places.find((place) => !ending.has(place))
  if (found === undefined) return []
  const message =
    found.next.length === 0
      ? 'Nothing can happen any more, and the run has not ended.'
      : 'No end can be reached from here.'
  return [{ rule: 'an end can be reached', message, place: found }]
}

/** The kinds of effects that cost something. */
const work: ReadonlySet<string> = new Set(['model', 'tool', 'scorer', 'child'])

/** A cycle on which a person answers is bounded by the person. */
function workOnCycles({ places }: ExploredGraph): readonly GraphViolation[] {
  const component = componentsOf(places)
  const answered = new Set(
    places.flatMap((place) =>
      place.next.some((step) => step.choice.type === 'answer' && isInside(step, component))
        ? (component.get(place) ?? [])
        : [],
    ),
  )
  for (const place of places) {
    const cycle = component.get(place)
    if (cycle === undefined || answered.has(cycle)) continue
    for (const step of place.next) {
      const kind = isInside(step, component) ? step.starts.find((started) => work.has(started)) : undefined
      if (kind === undefined) continue
      const message = `The run can come to this state again and again, and each time an effect starts: ${kind}.`
      return [{ rule: 'no effect on a cycle', message, place }]
    }
  }
  return []
}

function isInside({ from, to }: Step, component: ReadonlyMap<Place, number>): boolean {
  return component.get(from) === component.get(to)
}

/** The strongly connected component of each place that lies on a cycle, by Tarjan's algorithm, without recursion. */
function componentsOf(places: readonly Place[]): ReadonlyMap<Place, number> {
  const order = new Map<Place, number>()
  const low = new Map<Place, number>()
  const open: Place[] = []
  const isOpen = new Set<Place>()
  const component = new Map<Place, number>()
  let components = 0
  for (const root of places) {
    if (order.has(root)) continue
    const stack: { readonly place: Place; at: number }[] = []
    const enter = (place: Place): void => {
      order.set(place, order.size)
      low.set(place, order.size - 1)
      open.push(place)
      isOpen.add(place)
      stack.push({ place, at: 0 })
    }
    enter(root)
    for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
      const { place } = frame
      const step = place.next[frame.at++]
      if (step !== undefined) {
        if (!order.has(step.to)) enter(step.to)
        else if (isOpen.has(step.to)) low.set(place, Math.min(lowOf(low, place), lowOf(order, step.to)))
        continue
      }
      stack.pop()
      const above = stack.at(-1)?.place
      if (above !== undefined) low.set(above, Math.min(lowOf(low, above), lowOf(low, place)))
      if (lowOf(low, place) !== lowOf(order, place)) continue
      const members = open.splice(open.indexOf(place))
      for (const member of members) isOpen.delete(member)
      const isCycle = members.length > 1 || place.next.some(({ to }) => to === place)
      if (isCycle) for (const member of members) component.set(member, components)
      components++
    }
  }
  return component
}

function lowOf(numbers: ReadonlyMap<Place, number>, place: Place): number {
  return numbers.get(place) ?? 0
}
