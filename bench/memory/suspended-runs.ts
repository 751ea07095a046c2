/**
 * The child process of durability.ts: what suspended runs hold of its memory, in bytes, and what it takes to bring one
 * back. `start` starts them, `open` finds them in the store, `keep` starts them and keeps them in memory.
 */
import { createAgent, createTool, createTroupe, type ChatModel } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { z } from 'zod'

export interface Held {
  readonly rss: number
  readonly heap: number
  /** Milliseconds, of each that was brought back: until its actors are there again, and until its approved call has ended it. */
  readonly revivals: readonly { readonly back: number; readonly ended: number }[]
}

export type Part = 'start' | 'open' | 'keep'

const [file = '', part = 'start', count = '0'] = process.argv.slice(2) as [string?, Part?, string?]
const runs = Number(count)
const usage = { inputTokens: 40, outputTokens: 10, totalTokens: 50 }

const model: ChatModel = {
  provider: 'bench',
  modelId: 'instant',
  async generate({ messages }) {
    const isDone = messages.some(({ role }) => role === 'tool')
    return isDone
      ? { text: 'It is paid back.', toolCalls: [], finishReason: 'stop', usage }
      : {
          text: '',
          toolCalls: [{ id: 'call', name: 'refund', args: { euros: 20 } }],
          finishReason: 'tool-calls',
          usage,
        }
  },
}
const refund = createTool({
  id: 'refund',
  description: 'Pays back.',
  inputSchema: z.object({ euros: z.number() }),
  requireApproval: true,
  execute: ({ euros }) => euros,
})
const agent = createAgent({ id: 'cashier', instructions: 'Pay back.', model, tools: { refund } })
const store = sqliteStore(file, { synchronous: 'normal' })
const passivateAfter = part === 'keep' ? Number.POSITIVE_INFINITY : 0
const troupe = createTroupe({ agents: [agent], store, passivateAfter })

/** What is used when nothing is left to collect. */
async function memory(): Promise<{ readonly rss: number; readonly heap: number }> {
  for (let round = 0; round < 4; round++) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    globalThis.gc?.()
  }
  const { rss, heapUsed } = process.memoryUsage()
  return { rss, heap: heapUsed }
}

/** A hundred at a time, and no handle is held. */
async function suspend(many: number): Promise<void> {
  for (let started = 0; started < many; started += 100) {
    const handles = await Promise.all(
      Array.from({ length: Math.min(100, many - started) }, () => troupe.start(agent, 'Pay back 20 euros.')),
    )
    await Promise.all(handles.map((run) => run.whenIdle))
  }
  if (part === 'keep') return
  while ((await store.list('runs', { status: 'running' })).items.length > 0)
    await new Promise((r) => setTimeout(r, 10))
}

async function revive(runId: string): Promise<Held['revivals'][number]> {
  const begun = performance.now()
  const run = await troupe.resume(runId)
  const back = performance.now() - begun
  const idle = await run.whenIdle
  if (idle.outcome !== 'suspended') throw new Error(`A suspended run is ${idle.outcome}.`)
  await run.approve(idle.awaiting[0]?.toolCallId ?? '')
  const { outcome } = await run.result
  if (outcome !== 'completed') throw new Error(`A revived run is ${outcome}.`)
  return { back, ended: performance.now() - begun }
}

/** Until then the heap of V8 still grows with what passes through it, and its pages are not given back. */
const warmUp = { start: 4_000, open: 0, keep: 500 }
await suspend(warmUp[part])
const before = await memory()
if (part === 'open') {
  const { runs: going } = await troupe.recover()
  if (going.length > 0) throw new Error('A suspended run is under way.')
} else {
  await suspend(runs)
}
const after = await memory()
const ids = (await store.list('runs', { status: 'suspended' })).items.slice(0, 60).map(({ runId }) => runId)
const revivals: Held['revivals'][number][] = []
for (const id of ids) revivals.push(await revive(id))
const held: Held = {
  rss: after.rss - before.rss,
  heap: after.heap - before.heap,
  revivals: revivals.slice(10),
}
console.log(JSON.stringify(held))
await troupe.close()
await store.close()
