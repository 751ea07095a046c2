/** What a machine does on one edge of its state graph. */
import type { AnyActorRef, AnyMachineSnapshot } from 'xstate'
import type { Action, TestState } from '../graph/test-logic.ts'

export interface Work {
  readonly verb: 'starts' | 'stops' | 'sends' | 'emits' | 'does' | 'ends'
  /** The source of a child, the target and type of an event, the name of an action, the status of the machine. */
  readonly what: string
  /** With the ids and the payload: the input of a child, an event, the output. */
  readonly detail: unknown
}

/** The children that a step has started and stopped, its actions in their order, and the output if it is the last. */
export function workOf(before: TestState | undefined, after: TestState): readonly Work[] {
  const [old, now] = [childrenOf(before?.snapshot), childrenOf(after.snapshot)]
  const changed = (some: Children, others: Children): readonly (readonly [string, AnyActorRef])[] =>
    Object.entries(some).flatMap(([id, ref]) => (ref === undefined || others[id] === ref ? [] : [[id, ref]]))
  return [
    ...changed(old, now).map(([id, ref]): Work => ({ verb: 'stops', what: sourceOf(ref), detail: id })),
    ...changed(now, old).map(([id, ref]): Work => ({
      verb: 'starts',
      what: sourceOf(ref),
      detail: { id, input: inputOf(ref) },
    })),
    ...after.actions.flatMap(actionWork),
    ...endOf(after.snapshot),
  ]
}

type Children = Readonly<Record<string, AnyActorRef | undefined>>

function childrenOf(snapshot: AnyMachineSnapshot | undefined): Children {
  return (snapshot?.children ?? {}) as Children
}

function sourceOf({ src }: AnyActorRef): string {
  return typeof src === 'string' ? src : '(no source)'
}

function inputOf(ref: AnyActorRef): unknown {
  return (ref.getSnapshot() as { readonly request?: { readonly input: unknown } }).request?.input
}

function actionWork({ type, params }: Action): readonly Work[] {
  const event = isObject(params) && isObject(params['event']) ? params['event'] : undefined
  switch (type) {
    // Seen in the children of the snapshot, among which there are also those that an `assign` has spawned.
    case 'xstate.spawnChild':
    case 'xstate.stopChild':
      return []
    case 'xstate.emit':
      return [{ verb: 'emits', what: typeOf(event), detail: event }]
    case 'xstate.sendTo':
    case 'xstate.raise':
      return [{ verb: 'sends', what: typeOf(event), detail: { to: targetOf(params), event } }]
    default:
      return [{ verb: 'does', what: type, detail: params }]
  }
}

type Fields = Readonly<Record<string, unknown>>

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null
}

function typeOf(event: Fields | undefined): string {
  return String(event?.['type'])
}

function targetOf(params: unknown): unknown {
  return isObject(params) ? (params['targetId'] ?? params['to'] ?? params['id']) : undefined
}

function endOf({ status, output, error }: AnyMachineSnapshot): readonly Work[] {
  if (status === 'active') return []
  return [{ verb: 'ends', what: status, detail: status === 'error' ? error : output }]
}
