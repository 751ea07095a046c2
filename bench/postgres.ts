/**
 * Runs on Postgres: one run of 20 steps at a time, and 1 000 runs of three steps at once. With prepared statements and without them, in
 * turns, on a server of its own. Prints medians, and the median of the ratios within the rounds.
 */
import { parseArgs } from 'node:util'
import { createAgent, createTool, createTroupe, type ChatModel } from 'troupe'
import { postgresStore } from 'troupe/postgres'
import { z } from 'zod'
import { PostgresServer } from '../test/support/postgres/server.ts'
import { median } from './support/statistics.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '15' } } })
const rounds = Number(values.rounds)

const usage = { inputTokens: 40, outputTokens: 10, totalTokens: 50 }

/** Calls its tool as often as the task says. */
const model: ChatModel = {
  provider: 'bench',
  modelId: 'instant',
  async generate({ messages }) {
    const wanted = Number(messages.find(({ role }) => role === 'user')?.content)
    const done = messages.filter(({ role }) => role === 'tool').length
    const toolCalls = done === wanted ? [] : [{ id: `c${done}`, name: 'note', args: { done } }]
    return done === wanted
      ? { text: 'Done.', toolCalls, finishReason: 'stop', usage }
      : { text: '', toolCalls, finishReason: 'tool-calls', usage }
  },
}
const note = createTool({
  id: 'note',
  description: 'Takes a note.',
  inputSchema: z.object({ done: z.number() }),
  execute: ({ done }) => `note ${done}`,
})
const agent = createAgent({ id: 'scribe', model, tools: { note }, maxSteps: 100 })

interface Sample {
  readonly wall: number
  readonly cpu: number
}

async function measured(work: () => Promise<unknown>): Promise<Sample> {
  const cpu = process.cpuUsage()
  const begun = performance.now()
  await work()
  const { user, system } = process.cpuUsage(cpu)
  return { wall: performance.now() - begun, cpu: (user + system) / 1000 }
}

await using server = await PostgresServer.start()

function contestant(name: string, preparedStatements: boolean) {
  const store = postgresStore({
    connectionString: server.connectionString,
    schema: name,
    preparedStatements,
  })
  const troupe = createTroupe({ agents: [agent], store })
  const run = async (steps: number): Promise<void> => {
    const { outcome } = await (await troupe.start(agent, String(steps))).result
    if (outcome !== 'completed') throw new Error(`A run ended as ${outcome}.`)
  }
  return {
    single: () => measured(() => run(20)),
    many: () => measured(() => Promise.all(Array.from({ length: 1000 }, () => run(3)))),
    close: async () => {
      await troupe.close()
      await store.close()
    },
  }
}

const prepared = contestant('prepared', true)
const unnamed = contestant('unnamed', false)

for (const kind of ['single', 'many'] as const) {
  const samples: { readonly prepared: Sample; readonly unnamed: Sample }[] = []
  const count = kind === 'single' ? rounds : Math.ceil(rounds / 3)
  for (let round = -3; round < count; round++) {
    const first = round % 2 === 0
    const early = first ? await prepared[kind]() : await unnamed[kind]()
    const late = first ? await unnamed[kind]() : await prepared[kind]()
    if (round >= 0)
      samples.push(first ? { prepared: early, unnamed: late } : { prepared: late, unnamed: early })
  }
  for (const what of ['wall', 'cpu'] as const) {
    const ratio = median(samples.map((sample) => sample.prepared[what] / sample.unnamed[what]))
    const [one, other] = [samples.map((s) => s.prepared[what]), samples.map((s) => s.unnamed[what])]
    console.log(
      `${kind} ${what}: prepared ${median(one).toFixed(1)} ms, unnamed ${median(other).toFixed(1)} ms, ratio ${ratio.toFixed(2)}`,
    )
  }
}
await prepared.close()
await unnamed.close()
