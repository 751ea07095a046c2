import type { PostgresClient } from 'troupe/postgres'

/** The text of a statement, planned by its name or not. */
export function queryText(query: Parameters<PostgresClient['query']>[0]): string {
  return typeof query === 'string' ? query : query.text
}
