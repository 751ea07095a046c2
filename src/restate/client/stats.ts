/** The runs of a namespace in numbers, from Restate's own index. */
import { questionsByAge } from '../../runtime/journal/census.ts'
import type { RunStats, StatsOptions } from '../../runtime/health/stats.ts'
import type { RestateAdmin } from './admin.ts'
import { openQuestionsOf } from './open-questions.ts'
import { rootRunsIn } from './run-listing.ts'

interface StatusRow {
  readonly status: string
  readonly number: number
}

/** The statuses of Restate for a run of which nothing is under way. */
const suspended: readonly string[] = ['suspended', 'paused']

/** Rejects with a `TroupeError` when the admin address does not answer. */
export async function restateStats(
  admin: RestateAdmin,
  namespace: string,
  now: number,
  { settled = false }: StatsOptions,
): Promise<RunStats> {
  const query = `SELECT status, count(*) AS number FROM sys_invocation
    WHERE ${rootRunsIn(namespace).join(' AND ')} GROUP BY status`
  const [rows, questions] = await Promise.all([
    admin.query<StatusRow>(query),
    openQuestionsOf(admin, namespace),
  ])
  const count = (has: (status: string) => boolean): number =>
    rows.reduce((sum, { status, number }) => (has(status) ? sum + number : sum), 0)
  const isEnded = (status: string): boolean => status === 'completed'
  const times = questions.map(({ since }) => since)
  return {
    at: now,
    runs: {
      running: count((status) => !isEnded(status) && !suspended.includes(status)),
      suspended: count((status) => suspended.includes(status)),
      ...(settled ? { settled: count(isEnded) } : {}),
    },
    questions: {
      open: times.length,
      ...(times.length === 0 ? {} : { oldest: Math.max(0, now - Math.min(...times)) }),
      byAge: questionsByAge(times, now),
    },
  }
}
