/** The actions of a chart, each looked up once. */
import type { AnyEventObject, AnyStateMachine } from 'xstate'
import { asBuiltIn, type BuiltIn, type Expression, type ActionArgs } from './xstate-actions.ts'

/** The parameters of an action or a guard: a value, or a function of the context and the event. */
export type Params = unknown

/** One action, ready to run. */
export type Operation = { readonly params: Params } & (
  | { readonly kind: 'assign'; readonly assignment: Expression<object> | Readonly<Record<string, unknown>> }
  | { readonly kind: 'emit'; readonly event: AnyEventObject | Expression<AnyEventObject> }
  | { readonly kind: 'raise'; readonly event: AnyEventObject | Expression<AnyEventObject> }
  | { readonly kind: 'enqueue'; readonly collect: (args: object, params: unknown) => void }
  | ({ readonly kind: 'spawn' } & Spawning)
  | { readonly kind: 'stop'; readonly actor: unknown }
  | { readonly kind: 'custom'; readonly type: string; readonly exec: Custom | undefined }
  | { readonly kind: 'other'; readonly action: BuiltIn }
)

type Custom = (args: ActionArgs, params: unknown) => void

/** A child to spawn. */
export interface Spawning {
  readonly id: string | Expression<string> | undefined
  readonly systemId: string | undefined
  readonly src: unknown
  readonly input: unknown
  readonly syncSnapshot: boolean
}

type Named = string | { readonly type: string; readonly params?: unknown }

/** An action as a chart names it. */
export function operationOf(machine: AnyStateMachine, given: unknown): Operation {
  if (typeof given === 'function') return operation(given, given.name || '(anonymous)', undefined)
  const named = given as Named
  const { type, params } = typeof named === 'string' ? { type: named } : named
  const implementations: Readonly<Record<string, unknown>> = machine.implementations.actions
  return operation(implementations[type], type, params)
}

/** An action that XState has made. */
export function operationOfAction(action: unknown): Operation {
  return operation(action, '', undefined)
}

function operation(implementation: unknown, type: string, params: Params): Operation {
  const action = asBuiltIn(implementation)
  if (action === undefined)
    return { kind: 'custom', type, exec: implementation as Custom | undefined, params }
  switch (action.type) {
    case 'xstate.assign':
      return { kind: 'assign', assignment: action.assignment, params }
    case 'xstate.emit':
      return { kind: 'emit', event: action.event, params }
    case 'xstate.raise':
      // An event that is raised later is scheduled.
      return action.delay === undefined && typeof action.event !== 'string'
        ? { kind: 'raise', event: action.event, params }
        : { kind: 'other', action, params }
    case 'xstate.enqueueActions':
      return { kind: 'enqueue', collect: action.collect, params }
    case 'xstate.spawnChild':
      return { kind: 'spawn', ...spawning(action), params }
    case 'xstate.stopChild':
      return { kind: 'stop', actor: action.actorRef, params }
    default:
      return { kind: 'other', action, params }
  }
}

function spawning({
  id,
  systemId,
  src,
  input,
  syncSnapshot = false,
}: {
  readonly id?: string | Expression<string>
  readonly systemId?: string
  readonly src: unknown
  readonly input?: unknown
  readonly syncSnapshot?: boolean
}): Spawning {
  return { id, systemId, src, input, syncSnapshot }
}
