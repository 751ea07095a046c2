/** The insides of XState's actions, guards and snapshots. They were verified on xstate 5.33. */
import {
  emit,
  spawnChild,
  stopChild,
  type AnyActorScope,
  type AnyEventObject,
  type AnyMachineSnapshot,
  type AnyStateNode,
} from 'xstate'

/** The first argument of every action, and of the expressions in it. */
export interface ActionArgs {
  readonly context: unknown
  readonly event: AnyEventObject
  readonly self: AnyActorScope['self']
  readonly system: AnyActorScope['system']
}

export type Expression<Value = unknown> = (args: ActionArgs, params: unknown) => Value

/** Does the work of an action that has been resolved. */
export type Execute = (scope: AnyActorScope, params: unknown) => void

interface Made {
  readonly type: string
  readonly execute?: Execute
}

interface ResolvedAction extends Made {
  resolve(
    scope: AnyActorScope,
    snapshot: object,
    args: ActionArgs,
    params: unknown,
    action: ResolvedAction,
    extra: {
      readonly internalQueue: AnyEventObject[]
      readonly deferredActorIds: readonly string[] | undefined
    },
  ): readonly [snapshot: object, params: unknown, actions: unknown]
  retryResolve?(scope: AnyActorScope, snapshot: object, params: unknown): void
}

interface AssignAction extends ResolvedAction {
  readonly type: 'xstate.assign'
  readonly assignment: Expression<object> | Readonly<Record<string, unknown>>
}

interface EmitAction extends ResolvedAction {
  readonly type: 'xstate.emit'
  readonly event: AnyEventObject | Expression<AnyEventObject>
  readonly execute: Execute
}

interface RaiseAction extends ResolvedAction {
  readonly type: 'xstate.raise'
  readonly event: AnyEventObject | Expression<AnyEventObject>
  readonly delay?: unknown
}

interface SpawnAction extends ResolvedAction {
  readonly type: 'xstate.spawnChild'
  readonly id: string | Expression<string>
  readonly systemId?: string
  readonly src: unknown
  readonly input?: unknown
  readonly syncSnapshot?: boolean
}

interface StopAction extends ResolvedAction {
  readonly type: 'xstate.stopChild'
  readonly actorRef: unknown
}

interface EnqueueAction extends ResolvedAction {
  readonly type: 'xstate.enqueueActions'
  readonly collect: (args: object, params: unknown) => void
}

interface OtherAction extends ResolvedAction {
  readonly type: 'xstate.sendTo' | 'xstate.cancel' | 'xstate.log'
}

/** An action that XState resolves itself. */
export type BuiltIn =
  AssignAction | EmitAction | RaiseAction | SpawnAction | StopAction | EnqueueAction | OtherAction

/** `undefined`: a function of the user's, or none at all. */
export function asBuiltIn(action: unknown): BuiltIn | undefined {
  return typeof action === 'function' && 'resolve' in action ? (action as unknown as BuiltIn) : undefined
}

/** A guard that is made of others, such as `and([...])`. */
export interface CheckedGuard {
  check(snapshot: object, args: object, guard: CheckedGuard): boolean
}

export function asChecked(guard: unknown): CheckedGuard | undefined {
  return typeof guard === 'function' && 'check' in guard ? (guard as unknown as CheckedGuard) : undefined
}

const executeOf = (action: unknown): Execute => (action as { readonly execute: Execute }).execute

/** Emits an event in its turn. */
export const executeEmit = executeOf(emit({ type: 'xstate' }))

/** Starts a spawned actor in its turn. */
export const executeSpawn = executeOf(spawnChild('xstate'))

/** Stops a child in its turn. */
export const executeStop = executeOf(stopChild('xstate'))

/** The methods of a snapshot of a machine. */
export type SnapshotMethods = Pick<AnyMachineSnapshot, 'matches' | 'hasTag' | 'can' | 'getMeta' | 'toJSON'>

/** The active states of a snapshot, and its history. */
export function partsOf(snapshot: AnyMachineSnapshot): {
  readonly nodes: readonly AnyStateNode[]
  readonly historyValue: object
} {
  const { _nodes: nodes, historyValue } = snapshot as AnyMachineSnapshot & { readonly historyValue: object }
  return { nodes, historyValue }
}
