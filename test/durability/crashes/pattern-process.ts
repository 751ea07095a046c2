/** A process with a run of every pattern on one file: starts them, or recovers what there is, and says what it does. */
import { appendFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { createTroupe } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { patterns, patternTree, type Outside } from '../../support/agents/pattern-tree.ts'

export interface PatternProcess {
  readonly file: string
  /** Where it notes what it does outside, before it does it. */
  readonly deeds: string
  readonly leaseTtl: number
  readonly verb: 'start' | 'recover'
  /** From this number of answers on models and tools do not answer any more. Default: they always do. */
  readonly silentFrom?: number
}

export interface Deed {
  readonly key: string
  readonly process: number
}

/** `worked`: so many models and tools have answered. */
export type PatternNews = { readonly type: 'worked'; readonly times: number } | { readonly type: 'ended' }

const {
  file,
  deeds,
  leaseTtl,
  verb,
  silentFrom = Infinity,
} = JSON.parse(process.argv[2] ?? '{}') as PatternProcess
const say = (news: PatternNews): void => void process.send?.(news)
process.on('disconnect', () => process.exit())

let times = 0
const outside: Outside = async (_kind, key, act) => {
  appendFileSync(deeds, `${JSON.stringify({ key, process: process.pid } satisfies Deed)}\n`)
  await wait(5)
  say({ type: 'worked', times: ++times })
  if (times >= silentFrom) await new Promise(() => undefined)
  return act()
}

const agents = patterns.map((pattern) => patternTree([pattern], { outside, suffix: `-of-${pattern}` }).agent)
const store = sqliteStore(file)
const troupe = createTroupe({ agents, store, leaseTtl, pollInterval: 10 })

const runs = verb === 'start' ? await Promise.all(agents.map((agent) => troupe.start(agent, 'Find it.'))) : []
// They are begun in one transaction. The lease of a process that has ended runs out first.
for (const run of runs) await run.result
while ((await troupe.runs({ status: 'unfinished' })).items.length > 0) {
  await troupe.recover()
  await wait(10)
}
say({ type: 'ended' })
await troupe.close()
await store.close()
