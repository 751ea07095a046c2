/**
 * What readers of server-sent events cost their server: 100 readers beside 1 000, of one run and of 100 runs. The model says
 * its pieces one by one; the readers are in a process of their own.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { serve, type ServerType } from '@hono/node-server'
import { createAgent, createTroupe, type ChatModel } from 'troupe'
import { createHandler } from 'troupe/http'
import { median } from './support/statistics.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    readers: { type: 'string', default: '1000' },
    runs: { type: 'string', default: '100' },
    pieces: { type: 'string', default: '30' },
    pause: { type: 'string', default: '100' },
  },
})
const rounds = Number(values.rounds)
const [many, few] = [Number(values.readers), Number(values.readers) / 10]
const piece = 'Some words of the answer, as a model streams them. '

/** Of one reader, on average. */
interface Cost {
  /** KiB of the heap and of buffers while it waits for the next event. */
  readonly memory: number
  /** Milliseconds of CPU until it has its first event. */
  readonly connect: number
  /** Microseconds of CPU for an event. */
  readonly event: number
}

/** A model that says its pieces when it is told to. */
function speaker(): { readonly model: ChatModel; speak(): Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>()
  const pieces = Number(values.pieces)
  const model: ChatModel = {
    provider: 'bench',
    modelId: 'speaker',
    async generate(_, { onDelta }) {
      await promise
      for (let said = 0; said < pieces; said++) {
        onDelta?.({ type: 'text', text: piece })
        await sleep(Number(values.pause))
      }
      const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
      return { text: piece.repeat(pieces), toolCalls: [], finishReason: 'stop', usage }
    },
  }
  return {
    model,
    async speak() {
      resolve()
      await promise
    },
  }
}

async function costOf(readers: number, runs: number): Promise<Cost> {
  const { model, speak } = speaker()
  const agent = createAgent({ id: 'speaker', instructions: 'Speak.', model })
  const troupe = createTroupe({ agents: [agent] })
  const handler = createHandler(troupe, { authorize: 'everybody' })
  let server: ServerType | undefined
  const port = await new Promise<number>((resolve) => {
    server = serve({ fetch: handler, port: 0, hostname: '127.0.0.1' }, (address) => resolve(address.port))
  })
  const started = await Promise.all(Array.from({ length: runs }, () => troupe.start(agent, 'Speak')))

  const memoryBefore = await memory()
  const cpuBefore = cpu()
  const child = spawn(
    process.execPath,
    [
      join(import.meta.dirname, 'http/readers-process.ts'),
      `http://127.0.0.1:${port}`,
      String(readers),
      started.map(({ id }) => id).join(','),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  await lines.next() // connected
  const connect = (cpu() - cpuBefore) / readers
  const memoryNow = await memory()

  const spoken = cpu()
  await speak()
  const results = await Promise.all(started.map(({ result }) => result))
  const { value: frames } = await lines.next()
  const event = ((cpu() - spoken) * 1_000) / Number(frames)
  if (results.some(({ outcome }) => outcome !== 'completed')) throw new Error('A run has not completed.')
  const expected = readers * Number(values.pieces)
  if (Number(frames) < expected)
    console.warn(`${frames} frames of ${expected} and more: the readers were slow.`)
  await new Promise((resolve) => server?.close(resolve))
  await troupe.close()
  return {
    memory: (memoryNow - memoryBefore) / readers,
    connect,
    event,
  }
}

/** In KiB: what is left when the collector has had its turns. */
async function memory(): Promise<number> {
  for (let turn = 0; turn < 4; turn++) {
    globalThis.gc?.()
    await sleep(50)
  }
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 1_024
}

/** Milliseconds. */
function cpu(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

if (globalThis.gc === undefined) console.warn('Without --expose-gc the memory holds garbage.')
const cases = [
  { readers: few, runs: 1 },
  { readers: many, runs: 1 },
  { readers: few, runs: Number(values.runs) },
  { readers: many, runs: Number(values.runs) },
]
const samples = cases.map((): Cost[] => [])
await costOf(few, 1) // a warm-up
for (let round = 0; round < rounds; round++) {
  for (const [index, { readers, runs }] of cases.entries()) {
    samples[index]?.push(await costOf(readers, runs))
  }
}
console.log(`${values.pieces} pieces, ${rounds} rounds, node ${process.version}; for each reader`)
console.table(
  cases.map(({ readers, runs }, index) => {
    const of = (name: keyof Cost): number => median((samples[index] ?? []).map((cost) => cost[name]))
    return {
      readers,
      runs,
      'KiB of memory': of('memory').toFixed(1),
      'ms CPU to connect': of('connect').toFixed(2),
      'µs CPU an event': of('event').toFixed(0),
    }
  }),
)
