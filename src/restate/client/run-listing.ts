/** Lists the runs in Restate's own index. */
import type { Usage } from '../../actors/usage.ts'
import { sleep } from '../../actors/values/timer.ts'
import { aText } from '../../actors/strict/checks.ts'
import { optional, readOptions, type Fields } from '../../actors/strict/read-options.ts'
import type { OpenQuestion, Page, PageOptions, RunFilter } from '../../runtime/journal/run-index.ts'
import { agentOfService, isInNamespace, runIdOf, sqlText, type RestateAdmin } from './admin.ts'
import { cursorOf, pageFields, placeOf } from './cursor.ts'
import { factsOf, hasFacts, sumsOf } from './run-facts.ts'
import { openQuestionsOf } from './open-questions.ts'
import type { RunStarted } from '../../runtime/journal/journal.ts'
import { factsIn } from '../wire/wire.ts'

/** A run as Restate lists it. */
export interface RestateRunSummary {
  readonly runId: string
  /** The id of its root agent. */
  readonly agent: string
  /** The status in Restate's terms, for example `running`, `suspended`, `paused` or `completed`. */
  readonly status: string
  /** Milliseconds since 1970. */
  readonly startedAt: number
  /** As in `RunSummary`; absent also until the run has made its first turn. */
  readonly threadId?: string
  readonly resourceId?: string
  readonly conversationId?: string
  /** How its root agent ended; absent until it has, and where Restate or a person ended it. */
  readonly outcome?: string
  /** Of the model calls that have ended so far; of a run that has ended that of the whole run. Absent before the first. */
  readonly usage?: Usage
  /** The number of journal entries of all its agents, and the time of the last one, as of the last end of a model call. */
  readonly entries?: number
  readonly updatedAt?: number
  /** Invocations that Restate has paused: of the run or of its subagents. The run goes on when they are resumed. */
  readonly paused?: readonly string[]
  /** The questions that wait for an answer, of the run and its subagents, oldest first. */
  readonly awaiting: readonly OpenQuestion[]
}

/** Chooses runs on Restate. A run has its thread, resource and conversation once it has made its first turn. */
export interface RestateRunFilter
  extends PageOptions, Pick<RunFilter, 'runId' | 'resourceId' | 'threadId' | 'conversationId'> {
  /** The status in Restate's terms. */
  readonly status?: string
  /** The root agent. */
  readonly agent?: string
}

const filterFields: Fields<RestateRunFilter> = {
  ...pageFields('runs'),
  runId: optional(aText),
  status: optional(aText),
  agent: optional(aText),
  resourceId: optional(aText),
  threadId: optional(aText),
  conversationId: optional(aText),
}

/** Throws a `ConfigurationError`: a misspelt filter must not list all runs. */
export function readRestateFilter(given: RestateRunFilter = {}): RestateRunFilter {
  return readOptions<RestateRunFilter>(given, 'runs', filterFields)
}

interface Row {
  readonly id: string
  readonly target_service_name: string
  readonly target_service_key: string
  readonly status: string
  readonly created_at: string
}

/** Lists runs. Rejects with a `TroupeError` when the admin address does not answer. */
export async function listRuns(
  admin: RestateAdmin,
  namespace: string,
  filter: RestateRunFilter,
): Promise<Page<RestateRunSummary>> {
  const { limit } = filter
  const found = await admin.query<Row>(runsQuery(admin, namespace, filter))
  const rows = found.slice(0, limit)
  const runIds = rows.map((row) => row.target_service_key)
  const [facts, sums, paused, questions] = await Promise.all([
    factsOf(admin, namespace, runIds),
    sumsOf(admin, namespace, runIds),
    pausedOf(admin, namespace),
    openQuestionsOf(admin, namespace, runIds),
  ])
  const items = rows.flatMap((row): RestateRunSummary[] => {
    const runId = row.target_service_key
    const agent = agentOfService(row.target_service_name, namespace)
    if (agent === undefined) return []
    const ids = paused.get(runId)
    return [
      {
        runId,
        agent,
        status: row.status,
        startedAt: Date.parse(row.created_at),
        ...facts.get(runId),
        ...sums.get(runId),
        ...(ids === undefined ? {} : { paused: ids }),
        awaiting: questions.filter((question) => question.runId === runId),
      },
    ]
  })
  const last = rows.at(-1)
  return last === undefined || rows.length === found.length
    ? { items }
    : { items, next: cursorOf('runs', { at: last.created_at, id: last.id }) }
}

/** The most milliseconds that a start waits for its run to be listed: without a worker it makes no turn. */
const longestWait = 5_000

/** Waits until lists have the run, with the facts that they filter by: Restate lists those from its first turn on. */
export async function untilListed(
  admin: RestateAdmin,
  namespace: string,
  started: RunStarted,
  pollInterval: number,
): Promise<void> {
  const query = runsQuery(admin, namespace, { runId: started.runId, ...factsIn(started) })
  const end = performance.now() + longestWait
  while (performance.now() < end && (await admin.query<Row>(query)).length === 0) await sleep(pollInterval)
}

/** The conditions of invocations that are runs: neither of a longer namespace, nor a part of a run. */
export function rootRunsIn(namespace: string, agent?: string): readonly string[] {
  return [
    `target_handler_name = 'run'`,
    agent === undefined
      ? `${isInNamespace('target_service_name', namespace)} AND strpos(substr(target_service_name, ${namespace.length + 2}), '.') = 0`
      : `target_service_name = ${sqlText(`${namespace}.${agent}`)}`,
    `strpos(target_service_key, '/') = 0`,
  ]
}

function runsQuery(
  admin: RestateAdmin,
  namespace: string,
  { runId, status, agent, limit, before, order = 'oldest', ...facts }: RestateRunFilter,
): string {
  const conditions = [...rootRunsIn(namespace, agent)]
  const condition = hasFacts('target_service_key', { admin, namespace }, facts)
  if (condition !== undefined) conditions.push(condition)
  if (runId !== undefined) conditions.push(`target_service_key = ${sqlText(runId)}`)
  if (status !== undefined) conditions.push(`status = ${sqlText(status)}`)
  if (before !== undefined) {
    const { at, id } = placeOf('runs', before)
    const [time, beyond] = [`CAST(${sqlText(at)} AS TIMESTAMP)`, order === 'oldest' ? '>' : '<']
    conditions.push(
      `(created_at ${beyond} ${time} OR (created_at = ${time} AND id ${beyond} ${sqlText(id)}))`,
    )
  }
  const direction = order === 'oldest' ? 'ASC' : 'DESC'
  return `SELECT id, target_service_name, target_service_key, status, created_at FROM sys_invocation
    WHERE ${conditions.join(' AND ')} ORDER BY created_at ${direction}, id ${direction}
    ${limit === undefined ? '' : `LIMIT ${limit + 1}`}`
}

/** The paused invocations, by run. */
async function pausedOf(
  admin: RestateAdmin,
  namespace: string,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const query = `SELECT id, target_service_key FROM sys_invocation WHERE target_handler_name = 'run'
    AND status = 'paused' AND ${isInNamespace('target_service_name', namespace)} ORDER BY created_at`
  const byRun = new Map<string, string[]>()
  for (const { id, target_service_key: key } of await admin.query<Pick<Row, 'id' | 'target_service_key'>>(
    query,
  )) {
    const ids = byRun.get(runIdOf(key)) ?? []
    byRun.set(runIdOf(key), [...ids, id])
  }
  return byRun
}
