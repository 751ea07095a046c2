/**
 * What it costs to have runs on record: replaying a journal of about 1 000 entries beside performing 1 000 effects,
 * and what suspended runs on disk hold of a process's memory.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  createAgent,
  createTool,
  createTroupe,
  memoryStore,
  type ChatModel,
  type Store,
  type Troupe,
} from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { z } from 'zod'
import { median } from './support/statistics.ts'
import type { Held, Part } from './memory/suspended-runs.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '25' },
    /** How many runs are suspended. */
    suspended: { type: 'string', default: '10000' },
  },
})
const rounds = Number(values.rounds)
const suspended = Number(values.suspended)
const warmUps = 5

// --- replay ---------------------------------------------------------------------------------------------------------

const usage = { inputTokens: 40, outputTokens: 10, totalTokens: 50 }

/** Calls its tool as often as the task says. */
const model: ChatModel = {
  provider: 'bench',
  modelId: 'instant',
  async generate({ messages }) {
    const wanted = Number(messages.find(({ role }) => role === 'user')?.content)
    const done = messages.filter(({ role }) => role === 'tool').length
    return done === wanted
      ? { text: 'Done.', toolCalls: [], finishReason: 'stop', usage }
      : {
          text: '',
          toolCalls: [{ id: `c${done}`, name: 'note', args: { done } }],
          finishReason: 'tool-calls',
          usage,
        }
  },
}
const note = createTool({
  id: 'note',
  description: 'Takes a note.',
  inputSchema: z.object({ done: z.number() }),
  execute: ({ done }) => `note ${done}`,
})
const agent = createAgent({
  id: 'scribe',
  instructions: 'Take notes.',
  model,
  tools: { note },
  maxSteps: 1_000,
})

/** A step is a reply and a note: two effects, three entries. */
const steps = { ofReplay: 333, ofLive: 500 }

const folder = mkdtempSync(join(tmpdir(), 'troupe-bench-'))
const disk = sqliteStore(join(folder, 'replay.db'))

interface Sample {
  readonly wall: number
  readonly cpu: number
}

interface Contestant {
  readonly name: string
  readonly act: () => Promise<void>
  readonly samples: Sample[]
}

async function finished(troupe: Troupe, many: number): Promise<string> {
  const run = await troupe.start(agent, String(many))
  const { outcome } = await run.result
  if (outcome !== 'completed') throw new Error(`A run of the bench is ${outcome}.`)
  return run.id
}

async function replayOf(store: Store): Promise<() => Promise<void>> {
  const troupe = createTroupe({ agents: [agent], store })
  const runId = await finished(troupe, steps.ofReplay)
  return async () => {
    const { result, entries } = await troupe.replay(runId)
    if (result?.outcome !== 'completed' || entries !== 3 * steps.ofReplay + 3)
      throw new Error('It did not replay.')
  }
}

const live: Contestant = {
  name: `${2 * steps.ofLive + 1} effects, live, journal in memory`,
  act: async () => void (await finished(createTroupe({ agents: [agent] }), steps.ofLive)),
  samples: [],
}
const replayed: Contestant = {
  name: `${3 * steps.ofReplay + 3} entries, replayed from memory`,
  act: await replayOf(memoryStore()),
  samples: [],
}
const fromDisk: Contestant = {
  name: `${3 * steps.ofReplay + 3} entries, read from SQLite and replayed`,
  act: await replayOf(disk),
  samples: [],
}
const contestants = [live, replayed, fromDisk]

async function sampleOf(act: () => Promise<void>): Promise<Sample> {
  globalThis.gc?.()
  const cpu = process.cpuUsage()
  const begun = performance.now()
  await act()
  const wall = performance.now() - begun
  const { user, system } = process.cpuUsage(cpu)
  return { wall, cpu: (user + system) / 1000 }
}

if (globalThis.gc === undefined) console.warn('Without --expose-gc the numbers hold garbage of one another.')
for (let round = -warmUps; round < rounds; round++) {
  for (const { act, samples } of contestants) {
    const sample = await sampleOf(act)
    if (round >= 0) samples.push(sample)
  }
}
await disk.close()

/** Within each round, so that both had the same minute. */
const ratio = ({ samples }: Contestant, of: keyof Sample): number =>
  median(samples.map((sample, round) => sample[of] / (live.samples[round]?.[of] ?? Number.NaN)))

console.log(`${rounds} rounds, node ${process.version}`)
console.table(
  contestants.map((one) => ({
    what: one.name,
    'ms wall': median(one.samples.map(({ wall }) => wall)).toFixed(1),
    'ms CPU': median(one.samples.map(({ cpu }) => cpu)).toFixed(1),
    'times live, wall': ratio(one, 'wall').toFixed(2),
    'times live, CPU': ratio(one, 'cpu').toFixed(2),
  })),
)

// --- suspended runs -------------------------------------------------------------------------------------------------

const child = join(import.meta.dirname, 'memory/suspended-runs.ts')

function held(part: Part, file: string, runs: number): Held {
  const args = ['--conditions=troupe-source', '--expose-gc', child, file, part, String(runs)]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`The process that should ${part} runs ended with ${status}:\n${stderr}`)
  return JSON.parse(stdout) as Held
}

const kept = Math.ceil(suspended / 10)
const parts = {
  [`${suspended} suspended and parked, in the process that has started them`]: [
    held('start', join(folder, 'suspended.db'), suspended),
    suspended,
  ],
  [`${suspended} in the store, in a process that recovers it`]: [
    held('open', join(folder, 'suspended.db'), suspended),
    suspended,
  ],
  [`${kept} kept in memory (passivateAfter: Infinity)`]: [held('keep', join(folder, 'kept.db'), kept), kept],
} as const satisfies Record<string, readonly [Held, number]>
rmSync(folder, { recursive: true })

console.table(
  Object.entries(parts).map(([what, [{ rss, heap }, runs]]) => ({
    what,
    'MB RSS more': (rss / 1e6).toFixed(1),
    'MB heap more': (heap / 1e6).toFixed(1),
    'bytes heap a run': Math.round(heap / runs),
  })),
)
const [started, opened] = Object.values(parts).map(([part]) => part)
const revivals = [...(started?.revivals ?? []), ...(opened?.revivals ?? [])]
const back = median(revivals.map((revival) => revival.back))
const ended = median(revivals.map((revival) => revival.ended))
console.log(
  `Of ${revivals.length} that were brought back: there again after ${back.toFixed(2)} ms, ended after ${ended.toFixed(2)} ms.`,
)

// --- verdicts -------------------------------------------------------------------------------------------------------

/** A run that is kept has tens of thousands of bytes; a line of an index has hundreds. */
const bytesOfNothing = 1_000
const verdict = (measured: number, limit: number): string => (measured <= limit ? 'met' : 'missed')
console.table([
  {
    budget: 'replay of 1 000 entries, CPU, times 1 000 live effects',
    limit: 1,
    measured: ratio(replayed, 'cpu').toFixed(2),
    verdict: verdict(ratio(replayed, 'cpu'), 1),
  },
  {
    budget: 'the same, read from SQLite',
    limit: 1,
    measured: ratio(fromDisk, 'cpu').toFixed(2),
    verdict: verdict(ratio(fromDisk, 'cpu'), 1),
  },
  {
    budget: `${suspended} suspended runs, bytes of heap a run`,
    limit: bytesOfNothing,
    measured: Math.round((started?.heap ?? Number.NaN) / suspended),
    verdict: verdict((started?.heap ?? Number.NaN) / suspended, bytesOfNothing),
  },
])
