/** A machine whose child machines are doors: what they end with is an outcome like any other. */
import type { AnyActorLogic, AnyActorRef, AnyMachineSnapshot, AnyStateMachine } from 'xstate'
import { effect, effectKindOf } from '../actors/effect.ts'

/** Effects stay as they are; every other source becomes an effect of its own, named `child`. */
export function stubChildren(machine: AnyStateMachine): AnyStateMachine {
  const sources = Object.entries(machine.implementations.actors as Record<string, AnyActorLogic>)
  const stubs = sources.filter(([, logic]) => effectKindOf(logic) === undefined)
  return machine.provide({ actors: Object.fromEntries(stubs.map(([src]) => [src, childStub])) })
}

// To the door a child is one more kind of effect; it is not in the table of kinds because only tests have it.
const childStub: AnyActorLogic = effect('child' as 'tool')

export interface LiveChild {
  readonly id: string
  /** The name of its source in the machine. */
  readonly src: string
  readonly input: unknown
  readonly ref: AnyActorRef
}

/** The children that may still report, by id. `reported` are those that have, but were not reaped yet. */
export function liveChildren(snapshot: AnyMachineSnapshot, reported?: ReadonlySet<AnyActorRef>): LiveChild[] {
  const children = snapshot.children as Readonly<Record<string, AnyActorRef | undefined>>
  return Object.entries(children)
    .flatMap(([id, ref]) => {
      if (ref === undefined || reported?.has(ref)) return []
      const { status, request } = ref.getSnapshot() as { status: string; request?: { input: unknown } }
      return status === 'active'
        ? [{ id, src: typeof ref.src === 'string' ? ref.src : '', input: request?.input, ref }]
        : []
    })
    .sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** As `liveChildren`, by their ids. */
export function liveIds(snapshot: AnyMachineSnapshot, reported?: ReadonlySet<AnyActorRef>): string[] {
  return liveChildren(snapshot, reported).map((child) => child.id)
}
