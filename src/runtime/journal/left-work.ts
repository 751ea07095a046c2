/** The work that a run leaves where it ends without its charts, by its journal alone. */
import { requesterOf } from '../../actors/actor-path.ts'
import type { EffectOutcome } from '../../actors/effects/effect-kinds.ts'
import type { LeftWork } from '../../machines/contract/events.ts'
import type { EffectSettled, JournalEntry } from './journal.ts'

/** Tasks of other systems without an end, and calls and effects of adapters that were under way. A fork has made none of the calls that it shares. */
export function leftWork(journal: readonly JournalEntry[]): readonly LeftWork[] {
  const [first] = journal
  const shared = (first?.type === 'run.started' ? first.forkedFrom?.at : undefined) ?? 0
  /** By the key of the call. */
  const calls = new Map<string, LeftWork>()
  /** By the path of its agent, which has one task. */
  const tasks = new Map<string, LeftWork>()
  for (const [position, entry] of journal.entries()) {
    if (entry.type === 'effect.started' && position >= shared) {
      const { key, kind } = entry
      const own = kind === 'remote' || kind === 'custom' ? kind : 'tool'
      calls.set(key, { kind: own, path: requesterOf(key), key })
    } else if (entry.type === 'effect.settled') {
      calls.delete(entry.key)
      if (entry.kind === 'remote') noteTask(tasks, entry)
    }
  }
  const unnamed = [...calls.values()].filter(({ kind, path }) => kind !== 'remote' || !tasks.has(path))
  return [...tasks.values(), ...unnamed]
}

function noteTask(tasks: Map<string, LeftWork>, { key, settlement }: EffectSettled): void {
  const outcome = settlement.value as EffectOutcome<'remote'> | undefined
  const path = requesterOf(key)
  switch (outcome?.type) {
    case 'begun': {
      const { id, contextId } = outcome.task
      if (!tasks.has(path)) tasks.set(path, { kind: 'remote', path, key, task: { id, contextId } })
      return
    }
    case 'answered':
    case 'ended':
    case 'cancelled':
      tasks.delete(path)
      return
    case 'missing':
    case 'interrupted':
    case 'working':
    case 'asks':
    case undefined:
  }
}
