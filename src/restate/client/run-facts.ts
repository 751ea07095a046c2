/** The facts about runs that their workflows keep: filters of lists, and what summaries show. */
import { isInNamespace, sqlText, type RestateAdmin } from './admin.ts'
import { names, type RunFacts } from '../wire/wire.ts'

interface FactsRow {
  readonly service_key: string
  readonly value_utf8: string
}

/** The most keys that one query names. */
const mostKeys = 500

/** The condition that `runId`, an expression, names a run with these facts; `undefined`: no fact is asked for. */
export function hasFacts(
  runId: string,
  namespace: string,
  { threadId, resourceId, conversationId }: RunFacts,
): string | undefined {
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
  const rows: FactsRow[] = []
  for (let from = 0; from < runIds.length; from += mostKeys) {
    const keys = runIds.slice(from, from + mostKeys).map(sqlText)
    const query = `SELECT service_key, value_utf8 FROM state WHERE key = '${names.facts}'
      AND ${isInNamespace('service_name', namespace)} AND service_key IN (${keys.join(', ')})`
    rows.push(...(await admin.query<FactsRow>(query)))
  }
  return new Map(rows.map((row) => [row.service_key, JSON.parse(row.value_utf8) as RunFacts]))
}
