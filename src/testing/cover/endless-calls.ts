/**
 * The rule that no machine asks its models for ever. In a state graph, counters are part of the keys; so a cycle on which a
 * model is called has no end, unless a person or another event from outside is needed to go round.
 */
import type { AnyActorRef } from 'xstate'
import { ConfigurationError } from '../../errors.ts'
import type { Adjacency } from '../graph/edge-cover.ts'
import { componentsOf } from '../graph/components.ts'
import type { GraphSource } from '../graph/graph-source.ts'
import type { Sources } from '../graph/sources.ts'
import type { Stimulus } from '../graph/stimulus.ts'
import { stimuliTo, type TestState } from '../graph/test-logic.ts'
import type { Traversal } from '../graph/test-model.ts'

interface Edge {
  readonly from: string
  readonly to: string
  readonly stimulus: Stimulus
  readonly before: TestState
  readonly after: TestState
}

type Steps = readonly { readonly state: TestState; readonly event: Stimulus }[]

export class EndlessCalls {
  readonly #source: GraphSource
  /** Names of outcomes after which a machine may begin again, each with the reason why that ends. */
  readonly #mayRepeat: Readonly<Record<string, string>>
  readonly #used = new Set<string>()

  constructor(source: GraphSource, mayRepeat: Readonly<Record<string, string>>) {
    this.#source = source
    this.#mayRepeat = mayRepeat
  }

  /** Throws for a cycle on which a model is called and that nothing ends, with the way there. */
  check(adjacency: Adjacency<TestState, Stimulus>, { serializeState }: Traversal): void {
    const edges = new Map<string, readonly Edge[]>()
    for (const [from, { state, steps }] of adjacency) {
      edges.set(
        from,
        this.#unbounded(steps).map((step) => ({
          from,
          to: serializeState(step.state, step.event, state),
          stimulus: step.event,
          before: state,
          after: step.state,
        })),
      )
    }
    const edgesFrom = (node: string): readonly Edge[] => edges.get(node) ?? []
    const components = componentsOf(edges.keys(), (node) => edgesFrom(node).map(({ to }) => to))
    const isOnCycle = ({ from, to }: Edge): boolean => components.get(from) === components.get(to)
    for (const some of edges.values()) {
      for (const first of some) {
        const caller = isOnCycle(first) ? callerStarted(first, this.#source.sources) : undefined
        if (caller === undefined) continue
        const cycle: [Edge, ...Edge[]] = [
          first,
          ...wayBack(first, (node) => edgesFrom(node).filter(isOnCycle)),
        ]
        throw endless(this.#source.machine.id, caller, cycle)
      }
    }
  }

  /** Throws a `ConfigurationError` for an exception that no outcome has the name of. */
  refuseUnused(where: string): void {
    const unused = Object.keys(this.#mayRepeat).find((name) => !this.#used.has(name))
    if (unused !== undefined) {
      throw new ConfigurationError(`${where}: mayRepeat: no outcome of a child is named "${unused}".`)
    }
  }

  /** The steps that need no person and no other event from outside, and are no exceptions. */
  #unbounded(steps: Steps): Steps {
    return steps.filter(({ event }) => {
      if (event.type === 'event') return event.isDelay
      if (Object.hasOwn(this.#mayRepeat, event.outcome.name)) {
        this.#used.add(event.outcome.name)
        return false
      }
      return this.#source.sources.get(event.src)?.effect !== 'signal'
    })
  }
}

function endless(id: string, caller: string, cycle: readonly [Edge, ...Edge[]]): Error {
  return new Error(
    [
      `The machine "${id}" calls a model for ever: nothing ends this cycle, which starts "${caller}" each time.`,
      `after: ${namesOf(stimuliTo(cycle[0].before)) || 'the start'}`,
      `again and again: ${namesOf(cycle.map(({ stimulus }) => stimulus))}`,
      'If the key of a state leaves out a counter, add it. If an outcome of a child ends the cycle after all, name it in mayRepeat, with the reason.',
    ].join('\n'),
  )
}

function namesOf(stimuli: readonly Stimulus[]): string {
  return stimuli.map(({ name }) => name).join(' → ')
}

/** The child that calls a model and is started by this step. */
function callerStarted({ before, after }: Edge, sources: Sources): string | undefined {
  const [old, now] = [before, after].map(
    ({ snapshot }) => snapshot.children as Readonly<Record<string, AnyActorRef | undefined>>,
  )
  return Object.entries(now ?? {}).find(([id, ref]) => {
    const isNew = ref !== undefined && old?.[id] !== ref
    return isNew && typeof ref.src === 'string' && sources.get(ref.src)?.callsModels === true
  })?.[0]
}

/** The fewest edges from the end of `edge` to its beginning. */
function wayBack(edge: Edge, edgesFrom: (node: string) => readonly Edge[]): readonly Edge[] {
  const ways = new Map<string, readonly Edge[]>([[edge.to, []]])
  for (const [node, way] of ways) {
    if (node === edge.from) return way
    for (const next of edgesFrom(node)) if (!ways.has(next.to)) ways.set(next.to, [...way, next])
  }
  return []
}
