/** Replaces the child machines of a machine by effects: their results are outcomes like any other. */
import type { AnyActorLogic, AnyActorRef, AnyMachineSnapshot, AnyStateMachine, StateNode } from 'xstate'
import { effect, effectKindOf } from '../../actors/effects/effect.ts'
import { hideSnapshots } from '../../actors/xstate-internals.ts'

/**
 * Effects stay as they are; every other source becomes an effect of its own, named `child`.
 * Throws for an invoke whose source has no name: it cannot be stubbed.
 */
export function stubChildren(machine: AnyStateMachine): AnyStateMachine {
  refuseInline(machine.root as StateNode)
  const sources = Object.entries(machine.implementations.actors as Record<string, AnyActorLogic>)
  const stubs = sources.filter(([, logic]) => effectKindOf(logic) === undefined)
  return machine.provide({ actors: Object.fromEntries(stubs.map(([src]) => [src, childStub])) })
}

function refuseInline(node: StateNode): void {
  const invokes = [(node.config as { invoke?: Invokes }).invoke ?? []].flat()
  for (const { src, id } of invokes) {
    if (typeof src !== 'string' && effectKindOf(src) === undefined)
      throw unnamed(id ?? 'an actor', `invoked in "${node.id}"`)
  }
  for (const child of Object.values(node.states)) refuseInline(child)
}

type Invoke = { readonly src: unknown; readonly id?: string }
type Invokes = Invoke | readonly Invoke[]

function unnamed(child: string, how: string): Error {
  return new Error(
    `The source of "${child}", ${how}, has no name, so that nothing can stand in for it. Put it into setup({ actors }), and use the name.`,
  )
}

// To the door a child is one more kind of effect; it is not in the table of kinds because only tests have it.
const childEffect = effect('child' as 'tool')

const childStub: typeof childEffect = {
  ...childEffect,
  getInitialSnapshot: (scope, input) => {
    hideSnapshots(scope.self) // they are not those of the child that it replaces
    return childEffect.getInitialSnapshot(scope, input)
  },
}

export interface LiveChild {
  readonly id: string
  /** The name of its source in the machine. */
  readonly src: string
  readonly input: unknown
  readonly ref: AnyActorRef
}

/** The children that may still report, by id. `reported` are those that have, but were not reaped yet. */
export function liveChildren(snapshot: AnyMachineSnapshot, reported?: ReadonlySet<object>): LiveChild[] {
  const children = snapshot.children as Readonly<Record<string, AnyActorRef | undefined>>
  return Object.entries(children)
    .flatMap(([id, ref]) => {
      if (ref === undefined || reported?.has(ref)) return []
      const { status, request } = ref.getSnapshot() as { status: string; request?: { input: unknown } }
      if (status !== 'active') return []
      if (typeof ref.src !== 'string') throw unnamed(id, 'which is spawned')
      if (ref.id === ref.sessionId)
        throw new Error(`A child of the source "${ref.src}" has no id of its own: give it one.`)
      return [{ id, src: ref.src, input: request?.input, ref }]
    })
    .sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** As `liveChildren`, by their ids. */
export function liveIds(snapshot: AnyMachineSnapshot, reported?: ReadonlySet<object>): string[] {
  return liveChildren(snapshot, reported).map((child) => child.id)
}
