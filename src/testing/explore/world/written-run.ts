/** A run as a text: two runs with equal texts are in the same state. */
import type { AnyActorRef } from 'xstate'
import { effectKindOf } from '../../../actors/effect.ts'
import type { RunState } from '../../../runtime/state/run-state.ts'
import { snapshotOf, written } from './written.ts'

/** The actor with all actors below it. */
function writtenActor(actor: AnyActorRef): string {
  const { status, machine, value, context, children = {} } = snapshotOf(actor)
  if (effectKindOf(Reflect.get(actor, 'logic')) !== undefined) return `${actor.id}:${status}`
  const below = Object.values(children)
    .flatMap((child) => (child === undefined ? [] : [writtenActor(child)]))
    .toSorted()
  return `${actor.id}:${machine?.id}:${status}${written(value)}${written(context)}(${below.join()})`
}

/** The whole state of a run: two runs with equal texts behave alike. */
export function writtenRun({ agent, effects, signals, isSuspended, output }: RunState): string {
  const pending = [...effects.pending.values()].map(({ key, digest, dueAt, pausedWith }) =>
    JSON.stringify([key, digest, dueAt, pausedWith]),
  )
  return [
    writtenActor(agent),
    pending.toSorted().join(),
    written(signals.toJSON()),
    String(isSuspended),
    written(output ?? null),
  ].join('\n')
}
