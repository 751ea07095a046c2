/**
 * One active state of a chart without parallel states: the nodes from the root to a leaf, the transitions that they may
 * take, and the work of each. All of it is found once.
 */
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition, StateValue } from 'xstate'
import { testOf, type Test } from './guards.ts'
import { operationOf, type Operation } from './operations.ts'
import { planOf, type Plan } from './plan.ts'

/** A transition that may be taken. */
export interface Candidate {
  readonly transition: AnyTransitionDefinition
  readonly node: AnyStateNode
  /** `undefined`: it is always taken. */
  readonly test: Test | undefined
  /** Found when it is first taken. */
  work: TransitionWork | undefined
}

const none: readonly Candidate[] = []

export class Configuration {
  readonly machine: AnyStateMachine
  /** From the root to the leaf. */
  readonly nodes: readonly AnyStateNode[]
  readonly leaf: AnyStateNode
  readonly value: StateValue
  readonly tags: ReadonlySet<string>
  readonly always: readonly Candidate[]
  /** The exit actions of all nodes, when the machine is done. */
  readonly exits: readonly Operation[]
  readonly #configurationOf: (leaf: AnyStateNode) => Configuration
  readonly #exact = new Map<string, readonly Candidate[]>()
  readonly #wildcards: readonly Described[]

  constructor(leaf: AnyStateNode, configurationOf: (leaf: AnyStateNode) => Configuration) {
    const { machine } = leaf
    const upwards = lineOf(leaf)
    this.machine = machine
    this.leaf = leaf
    this.nodes = upwards.toReversed()
    this.value = valueOf(this.nodes)
    this.tags = new Set(this.nodes.flatMap(({ tags }) => tags))
    this.always = upwards.flatMap((node) => candidates(machine, node, node.always ?? []))
    this.exits = upwards.flatMap(({ exit }) => exit.map((action) => operationOf(machine, action)))
    this.#configurationOf = configurationOf
    this.#wildcards = upwards.flatMap((node) => wildcardsOf(machine, node))
    for (const { transitions } of upwards) {
      for (const type of transitions.keys()) this.#exact.set(type, candidatesFor(machine, upwards, type))
    }
  }

  /** The transitions for an event: those of the leaf first, those of the root last. */
  transitionsFor(type: string): readonly Candidate[] {
    const known = this.#exact.get(type)
    if (known !== undefined) return known
    let found = none
    for (const { describes, candidates } of this.#wildcards) {
      if (describes(type)) found = found === none ? candidates : [...found, ...candidates]
    }
    return found
  }

  /** The work of one of its transitions. */
  workOf(candidate: Candidate): TransitionWork {
    return (candidate.work ??= this.#found(candidate))
  }

  #found({ transition }: Candidate): TransitionWork {
    const plan = planOf(this, transition)
    return { ...plan, next: this.#configurationOf(plan.leaf) }
  }
}

/** The work of a transition, and the configuration that it leads to. */
export interface TransitionWork extends Plan {
  readonly next: Configuration
}

/** The transitions for events that a descriptor with a wildcard describes. */
interface Described {
  readonly descriptor: string
  readonly describes: (type: string) => boolean
  readonly candidates: readonly Candidate[]
}

/** The longest descriptor first. */
function wildcardsOf(machine: AnyStateMachine, node: AnyStateNode): Described[] {
  return [...node.transitions]
    .filter(([descriptor]) => descriptor.endsWith('*'))
    .map(([descriptor, transitions]) => ({
      descriptor,
      describes: describing(descriptor),
      candidates: candidates(machine, node, transitions),
    }))
    .toSorted((one, other) => other.descriptor.length - one.descriptor.length)
}

/**
 * The test whether a descriptor with a wildcard describes events of a type: `*` any, `order.*` both `order` and `order.paid`. A
 * wildcard stands at the end.
 */
function describing(descriptor: string): (type: string) => boolean {
  if (descriptor === '*') return () => true
  if (!descriptor.endsWith('.*') || descriptor.indexOf('*') < descriptor.length - 1) return () => false
  const start = descriptor.slice(0, -2) // without ".*"
  return (type) => type.startsWith(start) && (type.length === start.length || type[start.length] === '.')
}

function candidatesFor(
  machine: AnyStateMachine,
  upwards: readonly AnyStateNode[],
  type: string,
): readonly Candidate[] {
  return upwards.flatMap((node) => [
    ...candidates(machine, node, node.transitions.get(type) ?? []),
    ...wildcardsOf(machine, node)
      .filter(({ descriptor, describes }) => descriptor !== type && describes(type))
      .flatMap((described) => described.candidates),
  ])
}

function candidates(
  machine: AnyStateMachine,
  node: AnyStateNode,
  transitions: readonly AnyTransitionDefinition[],
): Candidate[] {
  return transitions.map((transition) => ({
    transition,
    node,
    test: transition.guard ? testOf(machine, transition.guard) : undefined,
    work: undefined,
  }))
}

/** From the leaf to the root. */
function lineOf(leaf: AnyStateNode): AnyStateNode[] {
  const line: AnyStateNode[] = []
  for (let node: AnyStateNode | undefined = leaf; node !== undefined; node = node.parent) line.push(node)
  return line
}

function valueOf([, ...below]: readonly AnyStateNode[]): StateValue {
  const [leaf, ...above] = below.toReversed()
  if (leaf === undefined) return {}
  return above.reduce<StateValue>((value, { key }) => ({ [key]: value }), leaf.key)
}
