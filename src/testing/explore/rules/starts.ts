/** Rules of what may start, and when. */
import { parentPath } from '../../../actors/actor-path.ts'
import type { RunEvent } from '../../../runtime/handle/run-event.ts'
import type { Visit, VisitedRun } from './visit.ts'

/** The kinds of effects that are work; hooks and memory may follow an end. */
const work: ReadonlySet<string> = new Set(['model', 'tool', 'scorer', 'compaction'])

/** After a cancel no work starts in the part of the run that was cancelled. */
export function nothingStartsAfterCancel({ world }: Visit): string | undefined {
  const isCancelled = world.journal.some(
    (entry) =>
      entry.type === 'signal.received' &&
      entry.signal.type === 'cancel' &&
      entry.signal.delegationId === undefined,
  )
  const scopes = isCancelled ? [''] : [...world.cancelled].map((id) => `${id}/`)
  const late = startedWork(world).find((path) => scopes.some((scope) => path.startsWith(scope)))
  return late === undefined ? undefined : `${late} starts after its cancel.`
}

/** After an end nothing starts, and after the end of a delegation nothing starts in it. */
export function nothingStartsAfterEnd({ world, events, before }: Visit): string | undefined {
  if (world.state.output !== undefined && world.started.length > 0) {
    return `${world.started.join(', ')} starts, and the run has ended.`
  }
  const ended = events
    .slice(0, before)
    .filter(({ type }) => type === 'delegation-end')
    .map(({ path }) => `${path}/`)
  const late = world.started.find((key) => ended.some((path) => key.startsWith(path)))
  return late === undefined ? undefined : `${late} starts after the end of its delegation.`
}

/** A bail goes past the scorers of its supervisor. */
export function nothingIsScoredAfterBail({ events }: Visit): string | undefined {
  for (const [position, event] of events.entries()) {
    if (event.type !== 'delegation-bail') continue
    const supervisor = parentPath(event.path)
    const scored = events.slice(position).find((later) => isScoringOf(later, supervisor))
    if (scored !== undefined) return `${supervisor} is scored after the bail of ${event.path}.`
  }
  return undefined
}

function isScoringOf({ type, path }: RunEvent, supervisor: string): boolean {
  return type === 'scoring-start' && parentPath(path) === supervisor
}

/** Effects of these kinds that the last choice started, by key. */
function startedWork({ started, state }: VisitedRun): readonly string[] {
  return started.filter((key) => work.has(state.effects.effectOf(key)?.kind ?? ''))
}
