/** Reclaims a run whose actor is restored: its lease and its journal. */
import {
  ConfigurationError,
  RunExistsError,
  RunNotFoundError,
  RunOwnedError,
  TroupeDrainingError,
} from '../../errors.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import { hasEnded, startedOf, type JournalEntry, type RunStarted } from '../journal/journal.ts'
import { closedError } from '../journal/lost-run.ts'
import type { Claimed, Lease } from '../journal/store.ts'
import type { RunSpec } from '../run/create-run.ts'
import { letGoAsClaimed } from '../run/let-go.ts'
import type { RunHost } from '../run/run-host.ts'
import { isSameTask } from '../nested/nested-run.ts'

/** The reason of the cancel of a run whose actor was stopped. */
export const stopReason = 'The actor of the run was stopped.'

interface Wanted {
  readonly runId: string
  /** Set for a run whose journal may not exist yet. */
  readonly beginning: RunStarted | undefined
  /** Set for a run whose id its actor was given: it begins, or is found again. */
  readonly asked: RunSpec | undefined
  /** Whether the actor has been stopped meanwhile. */
  readonly isStopped: () => boolean
}

interface Reclaimed {
  readonly spec: RunSpec
  /** Absent for a run that is still to start. */
  readonly journal?: readonly JournalEntry[]
  /** Absent for a run that is still to start, or has ended. */
  readonly lease?: Lease
}

/**
 * Returns the run, its journal and its lease. The owner of the run may be about to release it, or its process may just
 * have ended: then the expiry of the lease is awaited.
 *
 * Resolves with `undefined` when the actor was stopped, and the run had not started or the troupe was closed. Rejects
 * with a `TroupeError` of the code `TROUPE_CLOSED` when the troupe is closed meanwhile; with a `RunNotFoundError`; and
 * with a `ConfigurationError` for a run of another agent, or with functions of its own; and with a `RunExistsError` where the
 * id that was given is that of a run of another prompt.
 */
export async function reclaimRun(
  host: RunHost,
  agent: AgentDefinition,
  { runId, beginning, asked, isStopped }: Wanted,
): Promise<Reclaimed | undefined> {
  await host.committer.flushed()
  let hasToldOwner = false
  while (!host.isClosed) {
    const journal = await host.store.read(runId)
    if (journal === undefined) {
      if (beginning === undefined) throw new RunNotFoundError(runId)
      if (!isStopped()) host.assertTakes(runId)
      return isStopped() ? undefined : { spec: asked ?? restoredSpec(host, agent, [beginning]) }
    }
    const spec = asked === undefined ? restoredSpec(host, agent, journal) : foundSpec(host, asked, journal)
    if (hasEnded(journal)) return { spec, journal }
    try {
      const lease = await host.claim(runId)
      const known = await journalOf(host, lease)
      if (known !== undefined) return { spec, journal: known, lease }
      break
    } catch (error) {
      const drains = error instanceof TroupeDrainingError
      if (!(error instanceof RunOwnedError || (drains && isStopped()))) throw error
    }
    if (isStopped() && !hasToldOwner) {
      hasToldOwner = true
      await host.store.enqueueSignal(runId, { type: 'cancel', reason: stopReason })
    }
    if (!host.isOpen) break // whoever takes the run cancels it
    await pause(host, isStopped())
  }
  if (isStopped()) return undefined
  throw closedError(runId)
}

/** The journal of a run that was claimed; `undefined`: the troupe was closed. Without it the run is free again. */
async function journalOf(host: RunHost, lease: Claimed): Promise<readonly JournalEntry[] | undefined> {
  try {
    if (!host.isClosed) return await host.journal(lease.runId)
  } catch (error) {
    await letGoAsClaimed(host, lease)
    throw error
  }
  await letGoAsClaimed(host, lease)
  return undefined
}

/** Waits until the lease is polled again, or the troupe is closed. */
async function pause({ environment, keeper, closing }: RunHost, background: boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const callOff = environment.clock.after(keeper.pollInterval, resolve, { background })
  const onClose = (): void => resolve()
  closing.addEventListener('abort', onClose, { once: true })
  await promise
  closing.removeEventListener('abort', onClose)
  callOff()
}

/** The run whose id was given, as the store has it, with the functions that were given now. */
function foundSpec(host: RunHost, asked: RunSpec, journal: readonly JournalEntry[]): RunSpec {
  const { runId, settings } = asked.started
  if (!isSameTask(startedOf(journal), asked.started)) throw new RunExistsError(runId)
  const { signal, onError } = asked
  const hasFunctions = settings.hooks.length > 0 || settings.completion !== undefined
  return { ...host.restoredSpec(journal, hasFunctions ? asked.functions : {}), signal, onError }
}

function restoredSpec(host: RunHost, agent: AgentDefinition, journal: readonly JournalEntry[]): RunSpec {
  const spec = host.restoredSpec(journal, {})
  if (spec.started.agent === agent.id) return spec
  throw new ConfigurationError(
    `The run "${spec.started.runId}" is one of the agent "${spec.started.agent}", and this is the logic of "${agent.id}".`,
  )
}
