/**
 * Interprets the definition of an XState machine by tables that are made of it once: the same transitions, guards and
 * actions in the same order, with less work for each event.
 */
import type { AnyActorScope, AnyEventObject, AnyMachineSnapshot, AnyStateMachine, AnyStateNode } from 'xstate'
import { partsOf, type SnapshotMethods } from './xstate-actions.ts'
import { readable } from './children.ts'
import { Configuration, type Candidate } from './configuration.ts'
import { removeChildren, stopChildren, perform } from './perform.ts'
import { firstEntries, initialsBelow, type Entry } from './plan.ts'
import { assertSupported, unsupported, UnsupportedChart } from './unsupported.ts'
import { Work, type Before, type Execution, type Witness } from './work.ts'
import type { Test } from './guards.ts'

export class ChartTables {
  readonly machine: AnyStateMachine
  readonly #configurations = new Map<AnyStateNode, Configuration>()
  readonly #methods: SnapshotMethods
  readonly #beginning: Configuration
  readonly #firstEntries: readonly Entry[]

  /** Throws an `UnsupportedChart`. */
  constructor(machine: AnyStateMachine) {
    const { root } = machine
    assertSupported(root)
    this.machine = machine
    const leaf = initialsBelow(root).at(-1) ?? root
    this.#beginning = this.#configurationOf(leaf)
    this.#firstEntries = firstEntries(root)
    this.#methods = methodsOf(machine, this.#beginning)
  }

  getInitialSnapshot(scope: AnyActorScope, input: unknown, witness?: Witness): AnyMachineSnapshot {
    const event = { type: 'xstate.init', input }
    const context: unknown = this.machine.config.context
    let before: Before = { context: {}, children: {}, status: 'active', output: undefined, error: undefined }
    try {
      before = { ...before, context: beginning(context, input, scope.self, this.machine.id) }
      const work = new Work(this.machine, scope, this.#beginning, before, 'scope', witness)
      enter(work, event, this.#firstEntries)
      endMicrostep(work, event)
      settle(work, event)
      return this.#snapshot(work, {})
    } catch (error) {
      if (error instanceof UnsupportedChart) throw error
      const work = new Work(
        this.machine,
        scope,
        this.#beginning,
        { ...before, status: 'error', error },
        'scope',
      )
      return this.#snapshot(work, {}, [this.machine.root])
    }
  }

  transition(
    snapshot: AnyMachineSnapshot,
    event: AnyEventObject,
    scope: AnyActorScope,
    execution: Execution = 'direct',
    witness?: Witness,
  ): AnyMachineSnapshot {
    const { nodes, historyValue } = partsOf(snapshot)
    const from = this.#configurationOf(leafOf(nodes))
    const work = new Work(this.machine, scope, from, snapshot, execution, witness)
    if (event.type === 'xstate.stop') {
      removeChildren(work, event)
      work.status = 'stopped'
      return this.#snapshot(work, historyValue, nodes)
    }
    const chosen = choose(work, event)
    if (chosen === undefined && event.type.startsWith('xstate.error.actor')) {
      removeChildren(work, event)
      work.status = 'error'
      work.error = event['error']
      return this.#snapshot(work, historyValue, nodes)
    }
    let hasChanged = chosen !== undefined && take(work, event, chosen)
    if (settle(work, event)) hasChanged = true
    if (!hasChanged) return snapshot
    return this.#snapshot(work, historyValue, work.configuration === from ? nodes : undefined)
  }

  #configurationOf(leaf: AnyStateNode): Configuration {
    const known = this.#configurations.get(leaf)
    if (known !== undefined) return known
    const made = new Configuration(leaf, (node) => this.#configurationOf(node))
    this.#configurations.set(leaf, made)
    return made
  }

  #snapshot(work: Work, historyValue: object, nodes?: readonly AnyStateNode[]): AnyMachineSnapshot {
    const { status, output, error, context, keptChildren, configuration } = work
    const isWhole = status !== 'done' && (nodes === undefined || nodes.length === configuration.nodes.length)
    const ordered = status === 'done' ? configuration.nodes.toReversed() : configuration.nodes
    const { matches, hasTag, can, getMeta, toJSON } = this.#methods
    const fields = {
      status,
      output,
      error,
      machine: this.machine,
      context,
      _nodes: nodes ?? ordered,
      value: configuration.value,
      tags:
        isWhole || configuration.tags.size === 0
          ? configuration.tags
          : new Set((nodes ?? ordered).flatMap(({ tags }) => tags)),
      children: keptChildren,
      historyValue,
      matches,
      hasTag,
      can,
      getMeta,
      toJSON,
    }
    return readable(fields) as AnyMachineSnapshot
  }
}

/** One microstep. Returns whether it has changed the snapshot. */
function take(work: Work, event: AnyEventObject, candidate: Candidate): boolean {
  const from = work.configuration
  const plan = from.workOf(candidate)
  work.isChanged = false
  perform(work, event, plan.before)
  enter(work, event, plan.entries)
  work.configuration = plan.next
  endMicrostep(work, event)
  work.witness?.(work.value, candidate.transition)
  return work.isChanged || plan.next !== from
}

function enter(work: Work, event: AnyEventObject, entries: readonly Entry[]): void {
  for (const { operations, invoked, final } of entries) {
    perform(work, event, operations, invoked)
    if (final !== undefined) complete(work, event, final)
  }
}

/** A final state is entered: its parent is done, and so is the machine where that is the root. */
function complete(work: Work, event: AnyEventObject, node: AnyStateNode): void {
  const { parent } = node
  const output = (): unknown =>
    node.output === undefined || parent === undefined ? undefined : outputOf(node.output, work, event)
  if (parent?.type === 'compound') {
    work.queue.push({ type: `xstate.done.state.${parent.id}`, output: output() })
  }
  if (parent?.parent !== undefined) return
  const { root } = work.machine
  work.status = 'done'
  if (root.output === undefined) return
  const done = { type: `xstate.done.state.${node.id}`, output: output() }
  work.output = outputOf(root.output, work, done)
}

function outputOf(output: unknown, { context, scope }: Work, event: AnyEventObject): unknown {
  return typeof output === 'function'
    ? (output as (args: object) => unknown)({ context, event, self: scope.self })
    : output
}

function endMicrostep(work: Work, event: AnyEventObject): void {
  if (work.status === 'done') perform(work, event, work.configuration.exits)
}

/** Takes eventless transitions and raised events until there are none, and stops the children of an ended machine. */
function settle(work: Work, first: AnyEventObject): boolean {
  let event = first
  let hasChanged = false
  let mayFollow = true
  while (work.status === 'active') {
    let chosen: Candidate | undefined = mayFollow ? chooseEventless(work, event) : undefined
    const isEventless: boolean = chosen !== undefined
    if (chosen === undefined) {
      const raised = work.queue.shift()
      if (raised === undefined) break
      event = raised
      chosen = choose(work, event)
    }
    const isChanged = chosen !== undefined && take(work, event, chosen)
    if (isChanged) hasChanged = true
    // An eventless transition that changes nothing is not taken again.
    mayFollow = !isEventless || isChanged
  }
  if (work.status !== 'active') stopChildren(work, event)
  return hasChanged
}

function choose(work: Work, event: AnyEventObject): Candidate | undefined {
  for (const candidate of work.configuration.transitionsFor(event.type)) {
    if (candidate.test === undefined || passes(work, event, candidate, candidate.test)) return candidate
  }
  return undefined
}

function passes(work: Work, event: AnyEventObject, { node, transition }: Candidate, test: Test): boolean {
  try {
    return test(work, event)
  } catch (error) {
    throw guardFailed(transition.guard, event, node, error)
  }
}

/** As XState says it. */
function guardFailed(guard: unknown, event: AnyEventObject, node: AnyStateNode, error: unknown): Error {
  const type =
    typeof guard === 'string'
      ? guard
      : typeof guard === 'object'
        ? (guard as { readonly type: string }).type
        : undefined
  const name = type === undefined ? '' : `'${type}' `
  return new Error(
    `Unable to evaluate guard ${name}in transition for event '${event.type}' in state node '${node.id}':\n${(error as Error).message}`,
  )
}

function chooseEventless(work: Work, event: AnyEventObject): Candidate | undefined {
  for (const candidate of work.configuration.always) {
    if (candidate.test === undefined || candidate.test(work, event)) return candidate
  }
  return undefined
}

function leafOf(nodes: readonly AnyStateNode[]): AnyStateNode {
  return nodes.reduce((deepest, node) => (node.order > deepest.order ? node : deepest))
}

function beginning(context: unknown, input: unknown, self: AnyActorScope['self'], machine: string): unknown {
  if (typeof context !== 'function') return context ?? {}
  const make = context as (args: object) => object
  return { ...make(new FirstArgs(input, self, machine)) }
}

/** The argument of a function that makes a context. */
class FirstArgs {
  readonly input: unknown
  readonly self: AnyActorScope['self']
  readonly #machine: string

  constructor(input: unknown, self: AnyActorScope['self'], machine: string) {
    this.input = input
    this.self = self
    this.#machine = machine
  }

  get spawn(): never {
    throw unsupported(this.#machine, 'a context that spawns an actor')
  }
}

function methodsOf(machine: AnyStateMachine, { value }: Configuration): SnapshotMethods {
  const { matches, hasTag, can, getMeta, toJSON } = machine.resolveState({ value, context: {} })
  return { matches, hasTag, can, getMeta, toJSON }
}
