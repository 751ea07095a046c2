/**
 * What an inspector costs the runs of its process: scenario (d), a thousand runs at once of three model calls each, without
 * an inspector, with one that nobody looks at, and with a page that lists the runs and follows the newest of them. The
 * page is a process of its own.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createAgent, createTool, createTroupe, type ChatModel } from 'troupe'
import { inspector } from 'troupe/inspector'
import { z } from 'zod'
import { median } from './support/statistics.ts'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '9' }, runs: { type: 'string', default: '1000' } },
})
const rounds = Number(values.rounds)
const runs = Number(values.runs)
const warmUps = 2

const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 }
const call = { id: 'call', name: 'add', args: { a: 2, b: 3 } }
const model: ChatModel = {
  provider: 'bench',
  modelId: 'bench',
  generate: async ({ messages }) => {
    const calls = messages.filter(({ role }) => role === 'assistant').length
    return calls < 2
      ? { text: '', toolCalls: [call], finishReason: 'tool-calls', usage }
      : { text: 'Done.', toolCalls: [], finishReason: 'stop', usage }
  },
}
const add = createTool({
  id: 'add',
  description: 'Adds.',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => ({ sum: a + b }),
})
const agent = createAgent({ id: 'worker', instructions: 'Add.', model, tools: { add } })

/** Milliseconds of CPU and of time. */
interface Cost {
  readonly cpu: number
  readonly wall: number
}

async function costOfRuns(troupe: ReturnType<typeof createTroupe>): Promise<Cost> {
  globalThis.gc?.()
  const before = process.cpuUsage()
  const began = performance.now()
  const started = await Promise.all(Array.from({ length: runs }, () => troupe.start(agent, 'How much?')))
  const results = await Promise.all(started.map(({ result }) => result))
  const wall = performance.now() - began
  const { user, system } = process.cpuUsage(before)
  if (results.some(({ outcome }) => outcome !== 'completed')) throw new Error('A run has not completed.')
  return { cpu: (user + system) / 1_000, wall }
}

async function opened(url: string): Promise<ChildProcess> {
  const page = spawn(process.execPath, [join(import.meta.dirname, 'inspector/page-process.ts'), url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(page.stdout ?? page, 'data') // it has its first list
  return page
}

const cases = {
  async bare(): Promise<Cost> {
    const troupe = createTroupe({ agents: [agent] })
    const cost = await costOfRuns(troupe)
    await troupe.close()
    return cost
  },
  async unseen(): Promise<Cost> {
    const troupe = createTroupe({ agents: [agent] })
    await using view = inspector(troupe)
    await view.url
    const cost = await costOfRuns(troupe)
    await troupe.close()
    return cost
  },
  async shown(): Promise<Cost> {
    const troupe = createTroupe({ agents: [agent] })
    await using view = inspector(troupe)
    const page = await opened(await view.url)
    const cost = await costOfRuns(troupe)
    page.kill()
    await once(page, 'exit')
    await troupe.close()
    return cost
  },
}
type Case = keyof typeof cases
const names = ['bare', 'unseen', 'shown'] as const

const samples: Record<Case, Cost[]> = { bare: [], unseen: [], shown: [] }
for (let round = -warmUps; round < rounds; round++) {
  for (const name of names) {
    const cost = await cases[name]()
    if (round >= 0) samples[name].push(cost)
  }
}

const timesBare = (name: Case, of: keyof Cost): string =>
  median(samples[name].map((cost, round) => cost[of] / (samples.bare[round]?.[of] ?? Number.NaN))).toFixed(3)
const row = (inspected: string, name: Case) => ({
  inspector: inspected,
  'ms CPU': median(samples[name].map(({ cpu }) => cpu)).toFixed(0),
  'times without': timesBare(name, 'cpu'),
  'ms of time': median(samples[name].map(({ wall }) => wall)).toFixed(0),
  'time, times without': timesBare(name, 'wall'),
})
console.log(`${runs} runs, ${rounds} rounds, node ${process.version}`)
console.table([
  row('none', 'bare'),
  row('attached, nobody looks', 'unseen'),
  row('a page lists and follows', 'shown'),
])
