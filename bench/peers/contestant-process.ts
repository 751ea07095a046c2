/**
 * The process of one contestant: it does a round of work when it is asked, and tells what that cost. `baseline NAME`, or
 * `peer MODULE FUNCTION`; a module stands where its package is installed.
 */
import { pathToFileURL } from 'node:url'
import type { Baseline } from './field.ts'
import { playRound, type Create, type Work } from './work.ts'

const [kind, name = '', functionName = ''] = process.argv.slice(2)
const create = kind === 'baseline' ? await baseline(name as Baseline) : await contestant(name, functionName)

async function baseline(name: Baseline): Promise<Create> {
  return (await import('./baselines.ts')).baselineOf[name]
}

async function contestant(module: string, functionName: string): Promise<Create> {
  const loaded = (await import(pathToFileURL(module).href)) as Readonly<Record<string, Create>>
  const create = loaded[functionName]
  if (create === undefined) throw new Error(`${module} does not export "${functionName}".`)
  return create
}

process.on('message', (work: Work) => {
  void playRound(create, work, kind === 'peer').then(
    (sample) => process.send?.({ sample, maxRss: process.resourceUsage().maxRSS * 1024 }),
    (error: unknown) => process.send?.({ error: error instanceof Error ? error.stack : String(error) }),
  )
})
process.on('disconnect', () => process.exit())
process.send?.({ ready: true })
