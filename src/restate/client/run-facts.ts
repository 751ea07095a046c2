/** The facts about runs that their workflows keep: filters of lists, and what summaries show. */
import { addUsage, noUsage } from '../../actors/usage.ts'
import type { RunSummary } from '../../runtime/journal/run-index.ts'
import { isInNamespace, runIdOf, sqlText, type RestateAdmin } from './admin.ts'
import { namedFacts, openedFacts } from '../wire/sealing.ts'
import { names, type RunFacts, type RunSums } from '../wire/wire.ts'

interface FactsRow {
  readonly service_key: string
  readonly value_utf8: string
}

/** The most keys that one query names. */
const mostKeys = 500

/** The condition that `runId`, an expression, names a run with these facts; `undefined`: no fact is asked for. */
export function hasFacts(
  runId: string,
  { admin, namespace }: { readonly admin: RestateAdmin; readonly namespace: string },
  facts: RunFacts,
): string | undefined {
  const { threadId, resourceId, conversationId } = namedFacts(admin.sealing, facts)
  const conditions = Object.entries({ threadId, resourceId, conversationId }).flatMap(([name, value]) =>
    // A quote within a text of JSON is escaped: the field is found, and nothing else.
    value === undefined
      ? []
      : `strpos(value_utf8, ${sqlText(JSON.stringify({ [name]: value }).slice(1, -1))}) > 0`,
  )
  if (conditions.length === 0) return undefined
  return `${runId} IN (SELECT service_key FROM state WHERE key = '${names.facts}'
    AND ${isInNamespace('service_name', namespace)} AND ${conditions.join(' AND ')})`
}

/** The facts about these runs, where they have some. */
export async function factsOf(
  admin: RestateAdmin,
  namespace: string,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, RunFacts>> {
  const rows = await keptOf(admin, namespace, { name: names.facts, key: 'service_key' }, runIds)
  return new Map(
    rows.map((row) => [row.service_key, openedFacts(admin.sealing, JSON.parse(row.value_utf8) as RunFacts)]),
  )
}

/** The sums of a run, over all of its workflows. */
export type SummedRun = Partial<Pick<RunSummary, 'entries' | 'usage' | 'updatedAt' | 'outcome'>>

/** The sums of these runs, where a model call of theirs has ended, or they have. */
export async function sumsOf(
  admin: RestateAdmin,
  namespace: string,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, SummedRun>> {
  const ofRun = { name: names.sums, key: `split_part(service_key, '/', 1)` }
  const rows = await keptOf(admin, namespace, ofRun, runIds)
  const byRun = Map.groupBy(rows, (row) => runIdOf(row.service_key))
  return new Map(Array.from(byRun, ([runId, parts]) => [runId, summed(runId, parts)]))
}

function summed(runId: string, rows: readonly FactsRow[]): SummedRun {
  const parts = rows.map((row) => ({ key: row.service_key, ...(JSON.parse(row.value_utf8) as RunSums) }))
  const usages = parts.flatMap(({ usage }) => usage ?? [])
  const root = parts.find(({ key }) => key === runId)
  const usage = root?.outcome === undefined ? usages.reduce(addUsage, noUsage) : root.usage
  return {
    entries: parts.reduce((sum, { entries }) => sum + entries, 0),
    updatedAt: Math.max(...parts.map(({ at }) => at)),
    ...(usage === undefined ? {} : { usage }),
    ...(root?.outcome === undefined ? {} : { outcome: root.outcome }),
  }
}

/** The state of this name of the workflows of these runs. `key`: the expression that is one of the ids of the runs. */
async function keptOf(
  admin: RestateAdmin,
  namespace: string,
  { name, key }: { readonly name: string; readonly key: string },
  runIds: readonly string[],
): Promise<readonly FactsRow[]> {
  const rows: FactsRow[] = []
  for (let from = 0; from < runIds.length; from += mostKeys) {
    const keys = runIds.slice(from, from + mostKeys).map(sqlText)
    const query = `SELECT service_key, value_utf8 FROM state WHERE key = '${name}'
      AND ${isInNamespace('service_name', namespace)} AND ${key} IN (${keys.join(', ')})`
    rows.push(...(await admin.query<FactsRow>(query)))
  }
  return rows
}
