/**
 * A process that has the run, or one that watches it. The watcher writes each event down, as a line, before it takes the
 * next: a watcher that is killed has written every event that it has seen.
 */
import { appendFileSync } from 'node:fs'
import { createTroupe } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { createCrew } from './crew.ts'

export interface WatchProcessOptions {
  readonly folder: string
  readonly leaseTtl: number
  readonly does:
    | { readonly verb: 'start' | 'recover' }
    | { readonly verb: 'watch'; readonly runId: string; readonly after?: string; readonly into: string }
}

export type WatchNews =
  | { readonly type: 'started'; readonly runId: string }
  | { readonly type: 'recovered' }
  | { readonly type: 'watched' }

const { folder, leaseTtl, does } = JSON.parse(process.argv[2] ?? '{}') as WatchProcessOptions
const agent = createCrew(folder)
const store = sqliteStore(`${folder}/runs.db`)
const troupe = createTroupe({ agents: [agent], store, leaseTtl, pollInterval: 20 })

const say = (news: WatchNews): void => void process.send?.(news)
process.on('disconnect', () => process.exit())

switch (does.verb) {
  case 'start': {
    const run = await troupe.start(agent, 'Stamp the papers')
    say({ type: 'started', runId: run.id })
    await run.result
    break
  }
  case 'recover': {
    let runs = (await troupe.recover()).runs
    while (runs.length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 50)) // the lease of the dead process runs out
      runs = (await troupe.recover()).runs
    }
    say({ type: 'recovered' })
    await runs[0]?.result
    break
  }
  case 'watch':
    for await (const event of troupe.watch(
      does.runId,
      does.after === undefined ? {} : { after: does.after },
    )) {
      appendFileSync(does.into, `${JSON.stringify(event)}\n`)
    }
    say({ type: 'watched' })
    break
}
