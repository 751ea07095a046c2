/** The census of a file. */
import {
  censusIn,
  censusSql,
  sqlite,
  Values,
  type CensusRow,
  type StoreOperations,
} from '../../kit/sql/index.ts'
import type { Database } from '../connection/database.ts'
import { Queries } from '../connection/queries.ts'

const tables = { runs: 'runs', unfinished: 'runs INDEXED BY unfinished_runs', questions: 'questions' }

export function census(database: Database): Pick<StoreOperations, 'census'> {
  const queries = new Queries<CensusRow>(database)
  return {
    census(options) {
      const values = new Values(sqlite)
      const [row] = queries.of(censusSql(tables, options, values)).all(...values.all)
      return censusIn(row as CensusRow) // an aggregate has one row
    },
  }
}
