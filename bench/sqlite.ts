/**
 * What durability costs: 1 000 concurrent runs of three model calls over an in-process model, with their journals in
 * memory and in SQLite. The disk is waited for, so wall time is shown beside CPU. One repetition of each in turn, so
 * that what else goes on in the machine hits all alike; what counts is the median.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createAgent, createTool, createTroupe, memoryStore, type ChatModel, type Store } from 'troupe'
import { aesCodec, sealedStore } from 'troupe/sealed'
import { sqliteStore, type SqliteStoreOptions } from 'troupe/sqlite'
import { z } from 'zod'

const { values } = parseArgs({
  options: {
    repetitions: { type: 'string', default: '15' },
    /** Milliseconds that the model takes: 0 lets all runs go in step, more lets them arrive one by one. */
    delay: { type: 'string', default: '0' },
    /** Where the files are put: the disk that is measured. */
    folder: { type: 'string', default: tmpdir() },
  },
})
const runs = 1000
const modelCallsPerRun = 3
const warmUps = 2
const repetitions = Number(values.repetitions)
const delay = Number(values.delay)

const usage = { inputTokens: 40, outputTokens: 10, totalTokens: 50 }
const answer = 'It is 3, and doubled 6.'

/** Asks for its tool until it has seen two results. */
const model: ChatModel = {
  provider: 'bench',
  modelId: 'instant',
  async generate({ messages }) {
    if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay))
    const results = messages.filter((message) => message.role === 'tool').length
    if (results === 2) return { text: answer, toolCalls: [], finishReason: 'stop', usage }
    const call = { id: `call-${results}`, name: 'add', args: { a: results, b: 2 } }
    return { text: '', toolCalls: [call], finishReason: 'tool-calls', usage }
  },
}

const add = createTool({
  id: 'add',
  description: 'Adds two numbers.',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
})
const agent = createAgent({ id: 'adder', instructions: 'Add numbers with your tool.', model, tools: { add } })

interface Contestant {
  readonly name: string
  readonly open: (file: string) => Store
  readonly wall: number[]
  readonly cpu: number[]
  transactions: number
}

function contestant(name: string, open: (file: string) => Store): Contestant {
  return { name, open, wall: [], cpu: [], transactions: 0 }
}

const sqlite = (options: SqliteStoreOptions) => (file: string) => sqliteStore(file, options)
const bytes = new Uint8Array(32)
const sealed = (file: string): Store =>
  sealedStore(sqliteStore(file), { codec: aesCodec({ keys: [{ id: 'k', bytes }] }), names: bytes })
const contestants = [
  contestant('memory', () => memoryStore()),
  contestant('sqlite, full', sqlite({})),
  contestant('sqlite, normal', sqlite({ synchronous: 'normal' })),
  contestant('sqlite, full, worker', sqlite({ worker: true })),
  contestant('sqlite, full, sealed', sealed),
]

/** A file of its own for each repetition. Opening and closing are not counted. */
async function repeat(one: Contestant, counts: boolean): Promise<void> {
  const folder = mkdtempSync(join(values.folder, 'troupe-bench-'))
  const store = one.open(join(folder, 'runs.db'))
  await store.list('runs', {})
  let transactions = 0
  const append: Store['append'] = (batch) => {
    transactions++
    return store.append(batch)
  }
  const troupe = createTroupe({ agents: [agent], store: { ...store, append } })
  globalThis.gc?.()
  const cpu = process.cpuUsage()
  const begun = performance.now()
  const texts = await Promise.all(
    Array.from({ length: runs }, async () => (await (await troupe.start(agent, 'Add.')).result).text),
  )
  const wall = performance.now() - begun
  const { user, system } = process.cpuUsage(cpu)
  await store.close?.()
  rmSync(folder, { recursive: true })
  if (texts.some((text) => text !== answer)) throw new Error(`${one.name} did not answer.`)
  if (!counts) return
  one.wall.push(wall)
  one.cpu.push((user + system) / 1000)
  one.transactions = transactions
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN

if (globalThis.gc === undefined) console.warn('Without --expose-gc the numbers hold garbage of one another.')
for (let round = -warmUps; round < repetitions; round++) {
  for (const one of contestants) await repeat(one, round >= 0)
}

const [memory] = contestants
console.log(
  `${runs} concurrent runs of ${modelCallsPerRun} model calls of ${delay} ms, ${repetitions} repetitions, node ${process.version}`,
)
console.table(
  contestants.map(({ name, wall, cpu, transactions }) => ({
    store: name,
    'ms wall': median(wall).toFixed(0),
    'ms CPU': median(cpu).toFixed(0),
    'µs CPU / model call': ((median(cpu) * 1000) / (runs * modelCallsPerRun)).toFixed(1),
    'times memory, wall': (median(wall) / median(memory?.wall ?? [])).toFixed(2),
    'times memory, CPU': (median(cpu) / median(memory?.cpu ?? [])).toFixed(2),
    transactions,
  })),
)
