/** Finds a run in Restate: which agent it began with, and which workflows it has. */
import { RunNotFoundError, TroupeError } from '../../errors.ts'
import type { AgentRegistry } from '../../runtime/definition/registry.ts'
import { startedOf, type RunStarted } from '../../runtime/journal/journal.ts'
import { agentOfService, isInNamespace, sqlText, type RestateAdmin } from './admin.ts'
import type { RunIngress } from './ingress.ts'

export interface RunFinderOptions {
  readonly registry: AgentRegistry
  readonly ingress: Pick<RunIngress, 'read'>
  /** Absent: only runs of agents in the registry are found. */
  readonly admin: RestateAdmin | undefined
  readonly namespace: string
}

/** A workflow of a run. */
export interface RunWorkflow {
  /** The id of the agent that it began with. */
  readonly agent: string
  readonly path: string
}

interface Row {
  readonly target_service_name: string
  readonly target_service_key: string
}

/**
 * Resolves with the first entry of a run: its root agent may be a subagent of the agents here, an older version, or one
 * that is not here. Rejects with a `RunNotFoundError`; where no service answers, and without `admin`, with the error of the server.
 */
export async function beginningOf(
  { registry, ingress, admin, namespace }: RunFinderOptions,
  runId: string,
): Promise<RunStarted> {
  const first = async (agent: string): Promise<RunStarted | undefined> => {
    const { turns } = await ingress.read({ runId, agent, path: agent }, { from: 0, to: 1 })
    return turns[0] && startedOf(turns[0].entries)
  }
  const known = [...registry.keys()]
  const replies = await Promise.allSettled(known.map(first))
  for (const reply of replies) if (reply.status === 'fulfilled' && reply.value) return reply.value
  // An agent without a service has no runs, and tells nothing of those of the others.
  const failures = replies.filter((reply) => reply.status === 'rejected')
  const failure = failures.find(({ reason }) => !isUnknown(reason))
  if (failure !== undefined) throw failure.reason
  const root = admin && (await workflowsOf(admin, namespace, runId)).find(({ path }) => !path.includes('/'))
  const started = root && (await first(root.agent))
  if (started !== undefined) return started
  if (admin === undefined && failures.length === known.length) throw failures[0]?.reason
  throw new RunNotFoundError(runId)
}

function isUnknown(error: unknown): boolean {
  return error instanceof TroupeError && error.code === 'RESTATE_UNKNOWN'
}

/** The workflows of a run that Restate still has, in the order in which they were begun. */
export async function workflowsOf(
  admin: RestateAdmin,
  namespace: string,
  runId: string,
): Promise<readonly RunWorkflow[]> {
  const rows = await admin.query<Row>(
    `SELECT target_service_name, target_service_key FROM sys_invocation
     WHERE target_handler_name = 'run' AND ${isInNamespace('target_service_name', namespace)}
       AND (target_service_key = ${sqlText(runId)} OR starts_with(target_service_key, ${sqlText(`${runId}/`)}))
     ORDER BY created_at, target_service_key`,
  )
  return rows.flatMap(({ target_service_name: service, target_service_key: key }) => {
    const agent = agentOfService(service, namespace)
    return agent === undefined ? [] : [{ agent, path: key === runId ? agent : key.slice(runId.length + 1) }]
  })
}
