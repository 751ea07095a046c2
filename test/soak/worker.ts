/** One process of the soaks: it takes whatever run is free, and starts those that it is told to start. */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTroupe, StoreError, TroupeError, type Problem, type Run } from 'troupe'
import { openStore } from './soak-store.ts'
import { createCrew, taskOf, toldFile } from './crew.ts'
import type { WorkerCommand, WorkerNews, WorkerOptions } from './worker-messages.ts'

const options = JSON.parse(process.argv[2] ?? '{}') as WorkerOptions
const { folder, leaseTtl, thinking, working } = options
const lead = createCrew({ folder, thinking, working })
const store = openStore(options.store)
/**
 * A tool that stumbles is meant to, and so is an outage of the store, which a busy machine is enough for: its calls are
 * repeated, and a run that they lose is found in the end. Whatever else arises is a fault, and told on stderr.
 */
const onError = ({ where, message, error }: Problem): void => {
  const isOutage = error instanceof StoreError && error.code === 'STORE_FAILED'
  const isLeft = (error as { readonly code?: unknown }).code === 'RUN_LEFT' // `resumeLeft` takes it up
  if (where !== 'effect' && !isOutage && !isLeft) console.error(message, error)
}
/** Every other process, so that runs go from one interpreter to the other. */
const interpreter = process.pid % 2 === 0 ? 'tables' : 'xstate'
/** Another process has the run, or was as quick. */
const elsewhere: ReadonlySet<string> = new Set(['RUN_OWNED', 'LEASE_LOST'])
const troupe = createTroupe({
  agents: [lead],
  store,
  leaseTtl,
  pollInterval: leaseTtl / 10,
  interpreter,
  onError,
})

const say = (news: WorkerNews): void => void process.send?.(news)

/** The first thing that its caller does is to note its id. */
async function begin(job: number, steps: number): Promise<Run> {
  const run = await troupe.start(lead, taskOf(job, steps))
  appendFileSync(join(folder, toldFile), `${run.id}\n`)
  return run
}

async function start(job: number, steps: number): Promise<void> {
  const { id, result } = await begin(job, steps)
  say({ type: 'started', runId: id, job })
  try {
    say({ type: 'ended', runId: id, outcome: (await result).outcome })
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error
    say({ type: 'lost', runId: id, code: error.code })
  }
}

/** Runs are started in the order of their jobs, so those that are there are the first ones. */
async function fill(runs: number, steps: number): Promise<void> {
  for (let job = (await troupe.runs()).items.length; job < runs; job++) await begin(job, steps)
}

process.on('message', (command: WorkerCommand) => {
  switch (command.type) {
    case 'fill':
      void fill(command.runs, command.steps)
      return
    case 'start':
      void start(command.job, command.steps)
  }
})
process.on('disconnect', () => process.exit())

say({ type: 'open' })
/** The runs are sound. Those of which three processes were killed go on by a call, and not by themselves. */
async function resumeLeft(): Promise<void> {
  try {
    for (const { runId, leftAt = Infinity } of (await troupe.runs({ status: 'unfinished' })).items)
      if (leftAt <= Date.now()) await troupe.resume(runId)
  } catch (error) {
    const isElsewhere = error instanceof TroupeError && elsewhere.has(error.code)
    if (!isElsewhere)
      onError({ code: 'RUN_CANNOT_GO_ON', where: 'run', message: 'no run that is left was resumed', error })
  }
}

await troupe.recover({ every: leaseTtl / 5 })
for (;;) {
  await new Promise((resolve) => setTimeout(resolve, leaseTtl))
  await resumeLeft()
}
