/** A crash, at any state: the journal is replayed on a second engine, and must lead to the same run and events. */
import { Engine } from '../../../runtime/engine/engine.ts'
import type { JournalEntry } from '../../../runtime/journal/journal.ts'
import { deliverChecked } from '../../../runtime/replay/deliver-journal.ts'
import { engineOptions, type Subject } from './subject.ts'
import type { RunState } from './run-state.ts'
import { writtenRun } from './written-run.ts'

/** Returns the difference between the run and its replay; `undefined`: there is none. */
export function replayDifference(
  subject: Subject,
  run: Pick<RunState, 'engine' | 'sent'>,
  journal: readonly JournalEntry[],
): string | undefined {
  const engine = new Engine(engineOptions(subject))
  const { sent } = run
  let next = 0
  engine.beginReplay()
  for (let position = 0; position <= journal.length; position++) {
    for (let event = sent[next]; event?.after === position; event = sent[++next]) {
      engine.agent.send(event.choice.event)
    }
    const entry = journal[position]
    if (entry !== undefined) deliverChecked(engine, entry, position)
  }
  return (
    firstDifference('state', writtenRun(run.engine), writtenRun(engine)) ??
    firstDifference('events', eventsOf(run.engine), eventsOf(engine))
  )
}

function eventsOf({ recorder }: Engine): string {
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
