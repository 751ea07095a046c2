/** The module of a troupe whose agents are in modules of their own. */
import { createTroupe } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { refunds } from './refunds.ts'
import { sales } from './sales.ts'

export { refunds, sales }
export const store = sqliteStore(process.env['DESK_FILE'] ?? '')
export const troupe = createTroupe({
  agents: [refunds, sales],
  store,
  hotReload: process.env['NODE_ENV'] === 'development',
})
