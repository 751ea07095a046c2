/** The census of the tables. */
import {
  censusIn,
  censusSql,
  postgres,
  Values,
  type CensusRow,
  type StoreOperations,
} from '../../kit/sql/index.ts'
import type { Connections } from '../connection/connections.ts'
import type { Tables } from '../connection/schema.ts'

export function census(
  connections: Connections,
  { runs, questions }: Tables,
): Pick<StoreOperations, 'census'> {
  return {
    async census(options) {
      const values = new Values(postgres)
      const sql = censusSql({ runs, unfinished: runs, questions }, options, values)
      const [row] = await connections.query<CensusRow>(sql, values.all)
      return censusIn(row as CensusRow) // an aggregate has one row
    },
  }
}
