/** Deletes a run from Restate: the workflows of the run and of its subagents. */
import { RunNotEndedError, RunNotFoundError } from '../../errors.ts'
import { agentOfService, isInNamespace, sqlText, type RestateAdmin } from './admin.ts'

interface Row {
  readonly id: string
  readonly target_service_name: string
  readonly target_service_key: string
  readonly status: string
}

/**
 * Purges the subagents first, then releases the files of the run, and purges the run last: a deletion that fails midway
 * is repeated by another call. Of a run that Restate has forgotten by itself, the files are released. Rejects with a `RunNotEndedError`, a `RunNotFoundError`, and a `TroupeError` when the
 * admin address does not answer.
 */
export async function deleteRun(
  admin: RestateAdmin,
  namespace: string,
  runId: string,
  releaseFiles: () => Promise<void>,
): Promise<void> {
  const rows = await admin.query<Row>(
    `SELECT id, target_service_name, target_service_key, status FROM sys_invocation
     WHERE target_handler_name = 'run' AND ${isInNamespace('target_service_name', namespace)}
       AND (target_service_key = ${sqlText(runId)} OR starts_with(target_service_key, ${sqlText(`${runId}/`)}))`,
  )
  const workflows = rows.filter((row) => agentOfService(row.target_service_name, namespace) !== undefined)
  const [roots, parts] = [true, false].map((isRoot) =>
    workflows.filter((row) => (row.target_service_key === runId) === isRoot),
  )
  if (roots === undefined || parts === undefined || roots.length === 0) {
    if (await isForgotten(admin, runId)) await releaseFiles()
    throw new RunNotFoundError(runId)
  }
  if (workflows.some(({ status }) => status !== 'completed')) throw new RunNotEndedError(runId)
  for (const { id } of parts) await admin.purge(id)
  await releaseFiles()
  for (const { id } of roots) await admin.purge(id)
}

/** Whether no workflow of any namespace has the run: the files of a run of another one are not released. */
async function isForgotten(admin: RestateAdmin, runId: string): Promise<boolean> {
  const rows = await admin.query<Pick<Row, 'id'>>(
    `SELECT id FROM sys_invocation WHERE target_handler_name = 'run' AND (target_service_key = ${sqlText(runId)}
       OR starts_with(target_service_key, ${sqlText(`${runId}/`)})) LIMIT 1`,
  )
  return rows.length === 0
}
