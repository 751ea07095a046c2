/** Rules of a process that ends while tools are at work, and of calls that the run has let go of. */
import { requesterOf } from '../../../actors/actor-path.ts'
import type { EffectOutcome } from '../../../actors/effects/effect-kinds.ts'
import { isKind, type PendingEffect } from '../../../runtime/state/effects/pending-effect.ts'
import type { JournalEntry } from '../../../runtime/journal/journal.ts'
import type { Visit, VisitedRun } from './visit.ts'

/** An effect whose outcome is in the journal is not performed again. */
export function nothingSettledIsRepeated({ world: { started, journal } }: Visit): string | undefined {
  const repeated = started.find((key) =>
    journal.some((entry) => entry.type === 'effect.settled' && entry.key === key),
  )
  return repeated === undefined ? undefined : `${repeated} has settled, and starts again.`
}

/** A call that was interrupted is made again by itself, after the answer of a person, or never, as its tool says. */
export function callsInDoubtAreDecided({ world }: Visit): string | undefined {
  for (const key of world.started) {
    const effect = world.state.effects.effectOf(key)
    if (effect === undefined || !isKind(effect, 'tool')) continue
    const message = repetitionOf(effect, world)
    if (message !== undefined) return message
  }
  return undefined
}

function repetitionOf(
  { source, request }: PendingEffect<'tool'>,
  { journal, state }: VisitedRun,
): string | undefined {
  const last = journal.findLastIndex((entry) => isAttempt(entry, source.path))
  const entry = journal[last]
  if (entry === undefined || !isInterruption(entry)) return undefined
  const { agent, tool } = request.input
  switch (state.registry.get(agent)?.tools[tool]?.onInterrupted) {
    case 'fail':
      return `${tool} was interrupted and must fail, and is called again: ${source.path}.`
    case 'ask':
      return journal.slice(last).some((later) => isAnswer(later, source.path))
        ? undefined
        : `${tool} was interrupted, and is called again without the answer of a person: ${source.path}.`
    default:
      return undefined
  }
}

function isAttempt(entry: JournalEntry, call: string): boolean {
  return entry.type === 'effect.settled' && entry.kind === 'tool' && requesterOf(entry.key) === call
}

function isInterruption(entry: JournalEntry): boolean {
  if (entry.type !== 'effect.settled') return false
  return (entry.settlement.value as EffectOutcome<'tool'> | undefined)?.type === 'interrupted'
}

function isAnswer(entry: JournalEntry, call: string): boolean {
  return (
    entry.type === 'signal.received' &&
    entry.signal.type === 'answer' &&
    requesterOf(entry.signal.key) === call
  )
}

/** The end of a call that the run has let go of is recorded, and nothing follows from it. */
export function nothingFollowsLateEnds({ choice, events, before, world }: Visit): string | undefined {
  if (choice?.type !== 'settle' || choice.isLate !== true) return undefined
  if (events.length === before && world.started.length === 0) return undefined
  return `A call that the run had let go of has ended, and the run acts on it: ${choice.label}.`
}
