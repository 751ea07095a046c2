/** Writes the tables anew, without the rows that were deleted. */
import type { Connections } from '../connection/connections.ts'
import { storeFailure } from '../connection/failures.ts'
import type { Tables } from '../connection/schema.ts'

/** One after the other, on one connection, outside of a transaction. It may take its time: no attempt is given up. */
export async function compactTables(connections: Connections, tables: Tables): Promise<void> {
  const { schema, channel: _channel, ...named } = tables
  const client = await connections.connect()
  let failure: unknown
  try {
    for (const table of Object.values(named)) await client.query(`VACUUM (FULL, ANALYZE) ${table}`)
  } catch (error) {
    failure = error
  }
  client.release(failure === undefined ? undefined : true)
  if (failure !== undefined) throw storeFailure(failure, schema)
}
