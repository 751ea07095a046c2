/** Lists the runs in Restate's own index. */
import { TroupeError, toErrorData } from '../../errors.ts'
import { threadIn } from '../../runtime/journal/run-summary.ts'
import { names, type Turn } from '../wire/wire.ts'
import type { IngressAddress } from './ingress.ts'

/** A run as Restate lists it. */
export interface RestateRunSummary {
  readonly runId: string
  /** The id of its root agent. */
  readonly agent: string
  /** The status in Restate's terms, for example `running`, `suspended`, `paused` or `completed`. */
  readonly status: string
  /** Milliseconds since 1970. */
  readonly startedAt: number
  /** The thread that the run begins with, as in `RunSummary`; absent also until the run has made its first turn. */
  readonly threadId?: string
  /** Invocations that Restate has paused: of the run or of its subagents. The run goes on when they are resumed. */
  readonly paused?: readonly string[]
}

interface Row {
  readonly id: string
  readonly target_service_name: string
  readonly target_service_key: string
  readonly status: string
  readonly created_at: string
}

/** The first turn of a run: it holds the entry with which the run began. */
interface StateRow {
  readonly service_key: string
  readonly value_utf8: string
}

/** Lists runs, oldest first. Rejects with a `TroupeError` when the admin address does not answer. */
export async function listRuns(admin: IngressAddress, namespace: string): Promise<RestateRunSummary[]> {
  const query = `SELECT id, target_service_name, target_service_key, status, created_at FROM sys_invocation WHERE target_handler_name = 'run' AND target_service_name LIKE '${namespace}.%' ORDER BY created_at`
  const firstTurns = `SELECT service_key, value_utf8 FROM state WHERE key = '${names.turn(0)}' AND service_name LIKE '${namespace}.%' AND service_key NOT LIKE '%/%'`
  const [invocations, turns] = await Promise.all([ask<Row>(admin, query), ask<StateRow>(admin, firstTurns)])
  const threads = new Map(turns.map((row) => [row.service_key, threadOf(row)]))
  const rows = invocations.flatMap((row) => {
    const { target_service_name: service } = row
    if (!service.startsWith(`${namespace}.`)) return [] // a "_" stands for any character there
    const agent = service.slice(namespace.length + 1)
    return agent.includes('.') ? [] : [{ ...row, agent }] // of a longer namespace
  })
  const paused = Object.groupBy(
    rows.filter(({ status }) => status === 'paused'),
    (row) => runIdOf(row),
  )
  return rows.flatMap((row) => {
    const { agent, status, created_at: createdAt } = row
    const runId = runIdOf(row)
    if (runId !== row.target_service_key) return [] // a part of a run
    const ids = paused[runId]?.map(({ id }) => id)
    return {
      runId,
      agent,
      status,
      startedAt: Date.parse(createdAt),
      ...threads.get(runId),
      ...(ids === undefined ? {} : { paused: ids }),
    }
  })
}

function threadOf({ value_utf8: text }: StateRow): Pick<RestateRunSummary, 'threadId'> {
  const { entries } = JSON.parse(text) as Turn
  const [first] = entries
  return first?.type === 'run.started' ? threadIn(first) : {}
}

/** Returns the run id of a key: the key of a part is the run id and its path. */
function runIdOf({ target_service_key: key }: Row): string {
  return key.split('/', 1)[0] ?? key
}

async function ask<Row>({ url, headers = {} }: IngressAddress, query: string): Promise<readonly Row[]> {
  let response: Response
  try {
    response = await fetch(`${url.replace(/\/+$/, '')}/query`, {
      method: 'post', // which fetch writes in capitals
      headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
      body: JSON.stringify({ query }),
    })
  } catch (cause) {
    const message = `Restate's admin address cannot be reached: ${toErrorData(cause).message}`
    throw new TroupeError('RESTATE_UNREACHABLE', message, { cause })
  }
  if (!response.ok) throw new TroupeError('RESTATE_FAILED', await response.text())
  return ((await response.json()) as { readonly rows: readonly Row[] }).rows
}
