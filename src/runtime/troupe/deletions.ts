/** What a troupe ends and deletes when it is asked: single runs, and all of a resource. */
import { afterTurn } from '../../actors/values/order.ts'
import { cancelSignal } from '../handle/run.ts'
import type { Core } from './core.ts'
import { endByForce } from '../ending/forced-end.ts'
import { erasing, eraseResource } from '../ending/erasure.ts'
import type { EraseOptions, Erasure } from '../ending/erasure-report.ts'
import { deleteRunOf } from '../schedules/delete-run.ts'
import { assertDeleted } from './run-service.ts'

/**
 * Deletes a run that has ended. Rejects with a `RunNotEndedError`, or a `RunNotFoundError`. Deletions come in loops: each ends the
 * turn of the event loop, also where the store answers at once.
 */
export async function deleteEnded(core: Core, runId: string): Promise<void> {
  core.assertOpen()
  assertDeleted(await deleteRunOf(core, runId), runId)
  await new Promise<void>((resolve) => void afterTurn(resolve))
}

/** Cancels a run that can go on here; ends another by force. */
export async function cancelByForce(core: Core, runId: string, reason: string, by?: string): Promise<void> {
  core.assertOpen()
  if (core.isLive(runId)) return core.tell(runId, () => cancelSignal(reason, by === undefined ? {} : { by }))
  await endByForce(core, runId, reason, by)
  await core.passivatedRuns.find(runId)?.catchUp()
}

/** As `deleteEnded`; a run that has not ended, and that no process works on, is ended by force. */
export async function deleteByForce(core: Core, runId: string): Promise<void> {
  core.assertOpen()
  const outcome = await deleteRunOf(core, runId)
  if (outcome !== 'unfinished' || core.isLive(runId)) return assertDeleted(outcome, runId)
  await cancelByForce(core, runId, 'deleted')
  await deleteEnded(core, runId)
}

export function erase(core: Core, resourceId: string, options: EraseOptions): Promise<Erasure> {
  core.assertOpen()
  const { store, clock, environment, report, keeper, closing } = core
  return eraseResource(
    {
      store,
      clock,
      environment,
      report,
      owner: keeper.owner,
      closing,
      cancel: (runId) => core.tell(runId, erasing),
      forget: (runId) => core.forget(runId),
    },
    resourceId,
    options,
  )
}
