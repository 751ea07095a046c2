/** Rules of the whole graph: an end can be reached from everywhere, and no work lies on a cycle. */
import { componentsOf } from '../../graph/components.ts'
import type { ExploredGraph, Place, Step } from './graph.ts'

export interface GraphViolation {
  readonly rule: string
  readonly message: string
  readonly place: Place
}

/** `ends`: whether the machine has an end at all. */
export function graphViolations(graph: ExploredGraph, ends: boolean): readonly GraphViolation[] {
  return [...(ends ? unendingPlaces(graph) : []), ...workOnCycles(graph)]
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
const work: ReadonlySet<string> = new Set(['model', 'tool', 'scorer', 'compaction'])

/** A cycle on which a person answers is bounded by the person. */
function workOnCycles({ places }: ExploredGraph): readonly GraphViolation[] {
  const byKey = new Map(places.map((place) => [place.key, place]))
  const numbers = componentsOf(
    places.map(({ key }) => key),
    (key) => (byKey.get(key)?.next ?? []).map(({ to }) => to.key),
  )
  const component = new Map(places.map((place) => [place, numbers.get(place.key)]))
  const answered = new Set(
    places.flatMap((place) =>
      place.next.some((step) => isFromOutside(step) && isInside(step, component))
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

/** A person, or another event from outside, decides whether the run goes round again. */
function isFromOutside({ choice }: Step): boolean {
  return choice.type === 'answer' || (choice.type === 'event' && !choice.isDelay)
}

function isInside({ from, to }: Step, component: ReadonlyMap<Place, number | undefined>): boolean {
  return component.get(from) === component.get(to)
}
