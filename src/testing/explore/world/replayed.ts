/** A crash, at any state: the journal is replayed on a second state, and must lead to the same run and events. */
import type { AnyActorRef } from 'xstate'
import { RunState } from '../../../runtime/state/run-state.ts'
import type { JournalEntry } from '../../../runtime/journal/journal.ts'
import { deliverChecked } from '../../../runtime/replay/deliver-journal.ts'
import { stateOptions, type Subject } from './subject.ts'
import type { SentEvent } from './choice.ts'
import { effectKindOf } from '../../../actors/effects/effect.ts'
import { snapshotOf, written } from './written.ts'

/** Returns the difference between the run and its replay; `undefined`: there is none. */
export function replayDifference(
  subject: Subject,
  run: { readonly state: RunState; readonly sent: readonly SentEvent[] },
  journal: readonly JournalEntry[],
): string | undefined {
  const state = new RunState(stateOptions(subject))
  const { sent } = run
  let next = 0
  state.begin()
  for (let position = 0; position <= journal.length; position++) {
    for (let event = sent[next]; event?.after === position; event = sent[++next]) {
      state.agent.send(event.choice.event)
    }
    const entry = journal[position]
    if (entry !== undefined) deliverChecked(state, entry, position)
  }
  return (
    firstDifference('state', writtenRun(run.state), writtenRun(state)) ??
    firstDifference('events', eventsOf(run.state), eventsOf(state))
  )
}

// A run as a text: two runs with equal texts are in the same state.

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
function writtenRun({ agent, effects, signals, isSuspended, output }: RunState): string {
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

function eventsOf({ recorder }: RunState): string {
  return recorder.log
    .toArray()
    .map((event) => JSON.stringify(event))
    .join('\n')
}

/** Shows the place where two texts part. */
function firstDifference(what: string, run: string, replay: string): string | undefined {
  if (run === replay) return undefined
  let place = 0
  while (run[place] === replay[place]) place++
  const near = (text: string): string => text.slice(Math.max(0, place - 60), place + 60)
  return `The replay has another ${what}: …${near(replay)}… in place of …${near(run)}…`
}
