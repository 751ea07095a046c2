/**
 * A breadth-first search over the states of a run: the first path to a state is a shortest one. A state is no value that
 * could be copied: it is a live engine, rebuilt by making its choices again, and its next choices may depend on answers of
 * the user's functions, which are asked first. `@xstate/graph` explores pure transitions, and cannot wait for either.
 */
import type { Choice } from '../world/choice.ts'
import { lateEffects } from '../world/late-effects.ts'
import type { World } from '../world/world.ts'
import { pathTo, type ExploredGraph, type Place, type Step } from './graph.ts'

export interface Space {
  create(): World
  /** Asks the functions whose answers decide about the next choices. `path`: the choices that lead to this world. */
  prepare(world: World, path: readonly Choice[]): Promise<void>
  choicesOf(world: World): readonly Choice[]
  keyOf(world: World): string
  /** What the rules remember of the past. */
  memoryOf(world: World): string
  /** The kind of an effect, by its key. */
  kindOf(world: World, key: string): string
  /** How the run rests: by its outcome, or waiting for people who never answer; `undefined`: it goes on. */
  restOf(world: World): string | undefined
  /** Called for the initial state and each edge. */
  visit(world: World, place: Place, step: Step | undefined, isNew: boolean): void
}

export interface SearchLimits {
  readonly states: number
}

/** Worlds that are kept until their states are extended; others are rebuilt. */
const mostKept = 400

export async function search(space: Space, { states }: SearchLimits): Promise<ExploredGraph> {
  const places: Place[] = []
  /** Those that are to be extended, in the order in which they were reached. */
  const open: Place[] = []
  const byKey = new Map<string, Place>()
  const kept = new Map<Place, World>()
  let edges = 0

  const enter = (world: World, reachedBy?: { from: Place; choice: Choice }): void => {
    const state = space.keyOf(world)
    const key = `${state} ${space.memoryOf(world)}`
    const known = byKey.get(key)
    const step = (to: Place): Step | undefined =>
      reachedBy && { ...reachedBy, to, starts: world.started.map((effect) => space.kindOf(world, effect)) }
    if (known !== undefined) {
      const edge = step(known)
      if (edge !== undefined) edge.from.next.push(edge)
      space.visit(world, known, edge, false)
      return
    }
    const depth = reachedBy === undefined ? 0 : reachedBy.from.depth + 1
    const rest = space.restOf(world)
    const place = newPlace({ index: places.length, key, state, depth, rest, next: [] }, step)
    places.push(place)
    byKey.set(key, place)
    place.reachedBy?.from.next.push(place.reachedBy)
    if (isOpen(world)) {
      open.push(place)
      if (kept.size < mostKept) kept.set(place, world)
    }
    space.visit(world, place, place.reachedBy, true)
  }

  const rebuild = (place: Place): World => {
    const world = space.create()
    for (const choice of pathTo(place)) world.apply(choice)
    return world
  }

  const first = space.create()
  await space.prepare(first, [])
  enter(first)
  for (const place of open) {
    const own = kept.get(place) ?? rebuild(place)
    kept.delete(place)
    const choices = space.choicesOf(own)
    for (const [index, choice] of choices.entries()) {
      if (places.length >= states) return { places, edges, isComplete: false }
      const world = index === choices.length - 1 ? own : rebuild(place)
      world.apply(choice)
      await space.prepare(world, [...pathTo(place), choice])
      edges++
      enter(world, { from: place, choice })
    }
  }
  return { places, edges, isComplete: true }
}

/** In a run that has ended only calls that it has let go of can end. */
function isOpen(world: World): boolean {
  return world.fault === undefined && (!world.hasEnded || lateEffects(world).length > 0)
}

/** A place and the edge that reaches it refer to each other. */
function newPlace(place: Omit<Place, 'reachedBy'>, step: (to: Place) => Step | undefined): Place {
  const made: { reachedBy: Step | undefined } & Omit<Place, 'reachedBy'> = { ...place, reachedBy: undefined }
  made.reachedBy = step(made)
  return made
}
