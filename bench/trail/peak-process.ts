/** The child process of trail.ts: looks at a run once, and prints its peak memory in MB. */
import { createTroupe } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { lead } from './company.ts'
import { looks, type Look } from './looks.ts'

const [file = '', runId = '', look = 'journal'] = process.argv.slice(2) as [string?, string?, Look?]
const store = sqliteStore(file)
const looked = await looks[look](createTroupe({ agents: [lead], store }), runId)
if (looked === undefined) throw new Error('There is nothing to look at.')
await store.close()
console.log((process.resourceUsage().maxRSS * 1024) / 1e6)
