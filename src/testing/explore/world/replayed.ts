/** A crash, at any state: the journal is replayed on a second state, and must lead to the same run and events. */
import { RunState } from '../../../runtime/state/run-state.ts'
import type { JournalEntry } from '../../../runtime/journal/journal.ts'
import { deliverChecked } from '../../../runtime/replay/deliver-journal.ts'
import { stateOptions, type Subject } from './subject.ts'
import type { SentEvent } from './choice.ts'
import { writtenRun } from './written-run.ts'

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
