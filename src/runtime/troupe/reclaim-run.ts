/**
 * Reclaims a run whose actor is restored: its lease and its journal. The owner of the run may be about to release it,
 * or its process may just have ended: then the expiry of the lease is awaited.
 */
import { ConfigurationError, RunNotFoundError, RunOwnedError } from '../../errors.ts'
import type { Core } from './core.ts'
import type { RunSpec } from '../run/run-spec.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import { hasEnded, type JournalEntry, type RunStarted } from '../journal/journal.ts'
import { closedError } from '../journal/lost-run.ts'
import type { Lease } from '../journal/store.ts'

interface Wanted {
  readonly runId: string
  /** Set for a run whose journal may not exist yet. */
  readonly beginning: RunStarted | undefined
  /** Whether the actor has been stopped meanwhile. */
  readonly isStopped: () => boolean
}

interface Reclaimed {
  readonly beginning: RunSpec
  /** Absent for a run that is still to start. */
  readonly journal?: readonly JournalEntry[]
  /** Absent for a run that is still to start, or has ended. */
  readonly lease?: Lease
}

/**
 * Resolves with `undefined` when the actor was stopped, and the run had not started or the troupe was closed. Rejects
 * with a `TroupeError` of the code `TROUPE_CLOSED` when the troupe is closed meanwhile; with a `RunNotFoundError`; and
 * with a `ConfigurationError` for a run of another agent, or with functions of its own.
 */
export async function reclaim(
  core: Core,
  agent: AgentDefinition,
  { runId, beginning, isStopped }: Wanted,
): Promise<Reclaimed | undefined> {
  await core.committer.flushed()
  let hasToldOwner = false
  while (!core.isClosed) {
    const journal = await core.store.read(runId)
    if (journal === undefined) {
      if (beginning === undefined) throw new RunNotFoundError(runId)
      return isStopped() ? undefined : { beginning: restoredSpec(core, agent, [beginning]) }
    }
    const again = restoredSpec(core, agent, journal)
    if (hasEnded(journal)) return { beginning: again, journal }
    try {
      const lease = await core.claim(runId)
      if (!core.isClosed) return { beginning: again, journal: await core.journal(runId), lease }
      await core.store.release([lease])
      break
    } catch (error) {
      if (!(error instanceof RunOwnedError)) throw error
    }
    if (isStopped() && !hasToldOwner) {
      hasToldOwner = true
      await core.store.enqueueSignal(runId, { type: 'cancel', reason: 'The actor of the run was stopped.' })
    }
    await pause(core, isStopped())
  }
  if (isStopped()) return undefined
  throw closedError(runId)
}

/** Waits until the lease is polled again, or the troupe is closed. */
async function pause({ environment, keeper, closing }: Core, background: boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const callOff = environment.clock.after(keeper.pollInterval, resolve, { background })
  const onClose = (): void => resolve()
  closing.addEventListener('abort', onClose, { once: true })
  await promise
  closing.removeEventListener('abort', onClose)
  callOff()
}

function restoredSpec(core: Core, agent: AgentDefinition, journal: readonly JournalEntry[]): RunSpec {
  const again = core.restoredSpec(journal, {})
  if (again.started.agent === agent.id) return again
  throw new ConfigurationError(
    `The run "${again.started.runId}" is one of the agent "${again.started.agent}", and this is the logic of "${agent.id}".`,
  )
}
