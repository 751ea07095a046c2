/** The beginning of another run, to go its own way from there. */
import { nanoid } from 'nanoid'
import type { Settlement } from '../actors/effect.ts'
import { ConfigurationError } from '../errors.ts'
import { startedOf } from './check-entry.ts'
import type { EffectSettled, JournalEntry } from './journal.ts'

export interface ForkOptions {
  /** How many entries are shared, from 1. */
  readonly at: number
  /** Takes the place of the outcome in the last shared entry, which must be that of an effect: "what if it had failed?" */
  readonly patch?: Settlement
}

/** Throws a `ConfigurationError` when the run has no such entries, has ended there, or the patch fits no outcome. */
export function forkOf(journal: readonly JournalEntry[], { at, patch }: ForkOptions): JournalEntry[] {
  const started = startedOf(journal)
  const { runId } = started
  if (!Number.isInteger(at) || at < 1 || at > journal.length) {
    throw new ConfigurationError(
      `fork: at must be a number of entries from 1 to ${journal.length}, which the run "${runId}" has; it is ${at}.`,
    )
  }
  const shared = journal.slice(0, at)
  if (shared.some((entry) => entry.type === 'run.settled')) {
    throw new ConfigurationError(`fork: the run "${runId}" has ended within its first ${at} entries.`)
  }
  const begun: JournalEntry = { ...started, runId: nanoid(), forkedFrom: { runId, at } }
  if (patch === undefined) return [begun, ...shared.slice(1)]
  const last = shared.at(-1)
  if (last?.type !== 'effect.settled') {
    throw new ConfigurationError(
      `fork: only the outcome of an effect can be replaced; entry ${at - 1} is ${last?.type}.`,
    )
  }
  const patched: EffectSettled = { ...last, settlement: patch }
  return [begun, ...shared.slice(1, -1), patched]
}
