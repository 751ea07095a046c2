/**
 * The work of one macrostep. The guards and actions of XState take it for a snapshot: it has the fields that they read,
 * and is changed in place. A snapshot is made of it once, at the end.
 */
import {
  matchesState,
  type AnyActorRef,
  type AnyActorScope,
  type AnyEventObject,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyTransitionDefinition,
  type StateValue,
} from 'xstate'
import {
  addTo,
  childIn,
  childrenIn,
  copyOf,
  copyWithout,
  recordOf,
  removeFrom,
  type ChildRecord,
  type Children,
} from './children.ts'
import type { ActionArgs } from './xstate-actions.ts'
import { unsupported } from './unsupported.ts'
import type { Configuration } from './configuration.ts'

/**
 * The argument of guards, actions and expressions. One object serves as long as its context and event hold.
 */
export class Args implements ActionArgs {
  readonly context: unknown
  readonly event: AnyEventObject
  readonly self: ActionArgs['self']
  readonly system: ActionArgs['system']

  constructor(context: unknown, event: AnyEventObject, { self, system }: AnyActorScope) {
    this.context = context
    this.event = event
    this.self = self
    this.system = system
  }

  get spawn(): never {
    throw unsupported(this.self.id, 'an assignment that spawns an actor')
  }
}

/** The fields of a snapshot that a macrostep changes. */
export type Before = Pick<AnyMachineSnapshot, 'context' | 'children' | 'status' | 'output' | 'error'>

/**
 * `direct`: built-in actions are executed at once. `scope`: by the scope of the actor. That of an actor which is not started
 * yet keeps them until it is, and that of XState's pure functions gives them to its caller.
 */
export type Execution = 'direct' | 'scope'

/** Called after each transition with the state that it has led to. */
export type Witness = (value: StateValue, transition: AnyTransitionDefinition) => void

export class Work {
  readonly machine: AnyStateMachine
  readonly scope: AnyActorScope
  readonly execution: Execution
  readonly witness: Witness | undefined
  /** Events that the machine has raised. */
  readonly queue: AnyEventObject[] = []
  context: unknown
  status: Before['status']
  output: unknown
  error: unknown
  configuration: Configuration
  /** The present microstep has changed a field. */
  isChanged = false
  #children: Children
  #ownsChildren = false
  #args: Args | undefined

  constructor(
    machine: AnyStateMachine,
    scope: AnyActorScope,
    configuration: Configuration,
    before: Before,
    execution: Execution,
    witness?: Witness,
  ) {
    this.machine = machine
    this.scope = scope
    this.configuration = configuration
    this.execution = execution
    this.witness = witness
    this.context = before.context
    this.status = before.status
    this.output = before.output
    this.error = before.error
    this.#children = childrenIn(before)
  }

  argsFor(event: AnyEventObject): Args {
    const known = this.#args
    if (known !== undefined && known.context === this.context && known.event === event) return known
    return (this.#args = new Args(this.context, event, this.scope))
  }

  /** As a snapshot of XState has them: its actions read them. */
  get children(): ChildRecord {
    return recordOf(this.#children)
  }

  /** For a snapshot. */
  get keptChildren(): Children {
    return this.#children
  }

  // Read by `stateIn`.
  get _nodes(): Configuration['nodes'] {
    return this.configuration.nodes
  }

  get value(): StateValue {
    return this.configuration.value
  }

  matches(value: StateValue): boolean {
    return matchesState(value, this.value)
  }

  child(id: string): AnyActorRef | undefined {
    return childIn(this.#children, id)
  }

  // The children of the snapshot before stay as they are.

  addChild(id: string, child: AnyActorRef | undefined): void {
    this.isChanged = true
    if (!this.#ownsChildren) this.#children = copyOf(this.#children)
    this.#ownsChildren = true
    addTo(this.#children, id, child)
  }

  removeChild(id: string): void {
    this.isChanged = true
    if (this.#ownsChildren) removeFrom(this.#children, id)
    else this.#children = copyWithout(this.#children, id)
    this.#ownsChildren = true
  }
}
