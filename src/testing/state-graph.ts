/**
 * The state graph of a machine, found breadth first with XState's pure functions: nothing runs. A key identifies a
 * state; from each, every outcome of one live child per source, every outside event and the end of every delay
 * (`after`) is followed.
 */
import {
  initialTransition,
  transition,
  type AnyActorRef,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type SnapshotFrom,
  type StateNode,
} from 'xstate'
import { AppendLog } from '../actors/values/append-log.ts'
import { toErrorData } from '../errors.ts'
import { liveChildren, liveIds } from './stub-children.ts'
import { describe, toEvent, type ExternalEvent, type Outcome, type Stimulus } from './stimulus.ts'

/** By the name of the child's source; a function receives the input that the child was started with. */
export type Outcomes = Readonly<Record<string, readonly Outcome[] | ((input: never) => readonly Outcome[])>>

export type Events<Machine extends AnyStateMachine = AnyStateMachine> =
  readonly ExternalEvent[] | ((snapshot: SnapshotFrom<Machine>) => readonly ExternalEvent[])

/** `live` are the ids of the children that may still report. */
export type StateKey<Machine extends AnyStateMachine = AnyStateMachine> = (
  snapshot: SnapshotFrom<Machine>,
  live: readonly string[],
) => string

export interface GraphOptions<Machine extends AnyStateMachine = AnyStateMachine> {
  readonly outcomes: Outcomes
  /** Events that may come from outside; the ends of delays (`after`) are added. */
  readonly events?: Events<Machine>
  /** The key of a state. Default: value, status, ids of the live children, and the plain fields of context. */
  readonly stateKey?: StateKey<Machine>
  /** Default: 20 000 states. */
  readonly limit?: number
}

export interface State {
  readonly key: string
  readonly snapshot: AnyMachineSnapshot
  /** Children that have reported. Nothing runs here, so their snapshots do not show it. */
  readonly reported: ReadonlySet<AnyActorRef>
  /** The stimuli by which it was first reached. */
  readonly path: readonly Stimulus[]
}

export interface StateGraph {
  readonly states: ReadonlyMap<string, State>
  readonly edges: number
  /** Stimuli from the start, with the state that each should lead to, so that every edge lies on a path. */
  readonly paths: readonly GraphPath[]
}

/** The state that a step leads to. */
export interface Expectation {
  readonly key: string
  readonly live: readonly string[]
}

export interface GraphPath {
  readonly steps: readonly { readonly stimulus: Stimulus; readonly expected: Expectation }[]
  readonly initial: Expectation
}

interface Edge {
  readonly from: State
  readonly stimulus: Stimulus
  readonly expected: Expectation
}

export function exploreStates(machine: AnyStateMachine, input: unknown, options: GraphOptions): StateGraph {
  const keyOf = options.stateKey ?? defaultKey
  const limit = options.limit ?? 20_000
  const [snapshot] = initialTransition(machine, input as never) as [AnyMachineSnapshot, unknown]
  const initial = { key: keyOf(snapshot, liveIds(snapshot)), live: liveIds(snapshot) }
  const first: State = { key: initial.key, snapshot, reported: new Set(), path: [] }
  const states = new Map([[first.key, first]])
  const extended = new Set<State>()
  /** The edge by which each state was first reached, and all others. */
  const tree = new Map<State, Edge>()
  const others: Edge[] = []
  for (const from of states.values()) {
    for (const stimulus of stimuli(from, options)) {
      const reached = follow(machine, from, stimulus, keyOf)
      const edge = {
        from,
        stimulus,
        expected: { key: reached.key, live: liveIds(reached.snapshot, reached.reported) },
      }
      extended.add(from)
      if (states.has(reached.key)) {
        others.push(edge)
        continue
      }
      states.set(reached.key, reached)
      tree.set(reached, edge)
      if (states.size > limit) {
        throw new Error(
          `The state graph of "${machine.id}" has more than ${limit} states. Give a stateKey that keeps less, or smaller caps in the input.`,
        )
      }
    }
  }
  // An edge into a state that is extended lies on the paths beyond it.
  const ends = [...others, ...[...tree].filter(([state]) => !extended.has(state)).map(([, edge]) => edge)]
  const stepsOf = (edge: Edge): GraphPath['steps'] => {
    const before = tree.get(edge.from)
    return [
      ...(before === undefined ? [] : stepsOf(before)),
      { stimulus: edge.stimulus, expected: edge.expected },
    ]
  }
  const paths = ends.map((edge) => ({ initial, steps: stepsOf(edge) }))
  return {
    states,
    edges: others.length + tree.size,
    paths: paths.length === 0 ? [{ initial, steps: [] }] : paths,
  }
}

function follow(machine: AnyStateMachine, from: State, stimulus: Stimulus, keyOf: StateKey): State {
  const path = [...from.path, stimulus]
  const next = nextSnapshot(machine, from.snapshot, path)
  const children = from.snapshot.children as Readonly<Record<string, AnyActorRef | undefined>>
  const child = stimulus.type === 'outcome' ? children[stimulus.child] : undefined
  const reported = child === undefined ? from.reported : new Set([...from.reported, child])
  return { key: keyOf(next, liveIds(next, reported)), snapshot: next, reported, path }
}

/** The snapshot that the last stimulus of `path` leads to. */
function nextSnapshot(
  machine: AnyStateMachine,
  snapshot: AnyMachineSnapshot,
  path: readonly Stimulus[],
): AnyMachineSnapshot {
  try {
    const [next] = transition(machine, snapshot as never, toEvent(path.at(-1) as Stimulus) as never) as [
      AnyMachineSnapshot,
      unknown,
    ]
    return next
  } catch (cause) {
    const after = path.map(describe).join(' → ')
    throw new Error(`The machine "${machine.id}" threw after: ${after}: ${toErrorData(cause).message}`, {
      cause,
    })
  }
}

function stimuli({ snapshot, reported }: State, options: GraphOptions): Stimulus[] {
  if (snapshot.status !== 'active') return []
  const found: Stimulus[] = []
  const seen = new Set<string>()
  for (const { id, src, input } of liveChildren(snapshot, reported)) {
    if (seen.has(src)) continue
    seen.add(src)
    const table = options.outcomes[src]
    if (table === undefined) throw new Error(`No outcomes are given for children of the source "${src}".`)
    const outcomes = typeof table === 'function' ? table(input as never) : table
    for (const outcome of outcomes) found.push({ type: 'outcome', child: id, src, outcome })
  }
  const events = typeof options.events === 'function' ? options.events(snapshot) : (options.events ?? [])
  const given = new Set(events.map(({ event }) => event.type))
  const due = delays(snapshot).filter(({ event }) => !given.has(event.type))
  for (const event of [...events, ...due]) found.push({ type: 'event', event })
  return found
}

/** The ends of the delays (`after`) that the active states wait for. */
function delays(snapshot: AnyMachineSnapshot): ExternalEvent[] {
  const found = new Map<string, ExternalEvent>()
  for (const { after, path } of snapshot._nodes as StateNode[]) {
    for (const { delay, eventType } of after) {
      const time = typeof delay === 'number' ? `${delay} ms` : String(delay)
      const where = path.length === 0 ? '' : ` in ${path.join('.')}`
      found.set(eventType, { name: `after ${time}${where}`, event: { type: eventType } })
    }
  }
  return [...found.values()]
}

/** Fields that are lists count by their length, other objects by their presence. */
export function defaultKey(snapshot: AnyMachineSnapshot, live: readonly string[]): string {
  const context = snapshot.context as Record<string, unknown>
  const plain = Object.entries(context).map(([name, value]) => [name, summary(value)])
  return JSON.stringify([snapshot.value, snapshot.status, live, plain])
}

function summary(value: unknown): unknown {
  if (Array.isArray(value) || value instanceof AppendLog) return value.length
  return typeof value === 'object' && value !== null ? 'object' : value
}
