/** The child process of memory.ts: what runs of one kind hold of the heap, in bytes a run. */
import {
  createAgent,
  createTool,
  createTroupe,
  memoryStore,
  type ChatModel,
  type Store,
  type Troupe,
} from 'troupe'
import { z } from 'zod'
import type { Kind } from '../memory.ts'

const [kind = 'active', count = '0'] = process.argv.slice(2) as [Kind?, string?]
const runs = Number(count)
const usage = { inputTokens: 40, outputTokens: 10, totalTokens: 50 }

/** Two calls of its tool, then the answer. Active runs wait in their second model call. */
const model: ChatModel = {
  provider: 'bench',
  modelId: 'instant',
  async generate({ messages }) {
    const done = messages.filter(({ role }) => role === 'tool').length
    if (kind === 'active' && done === 1) await new Promise(() => undefined)
    return done === 2
      ? { text: 'It is done.', toolCalls: [], finishReason: 'stop', usage }
      : {
          text: '',
          toolCalls: [{ id: `call-${done}`, name: 'add', args: { a: done, b: 1 } }],
          finishReason: 'tool-calls',
          usage,
        }
  },
}
const add = createTool({
  id: 'add',
  description: 'Adds two numbers.',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  requireApproval: kind === 'suspended',
  execute: ({ a, b }) => a + b,
})
const agent = createAgent({ id: 'clerk', instructions: 'Add.', model, tools: { add } })

const endedRuns = kind === 'deleted' ? 1 : Number.POSITIVE_INFINITY
const store: Store = memoryStore({ endedRuns })
const troupe: Troupe = createTroupe({ agents: [agent], store, passivateAfter: Number.POSITIVE_INFINITY })
/** What a caller holds. */
const held: unknown[] = []

async function bytes(): Promise<number> {
  for (let round = 0; round < 4; round++) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    globalThis.gc?.()
  }
  return process.memoryUsage().heapUsed
}

async function begin(many: number): Promise<void> {
  for (let begun = 0; begun < many; begun += 100) {
    const handles = await Promise.all(Array.from({ length: 100 }, () => troupe.start(agent, 'Add 1 twice.')))
    if (kind === 'suspended') await Promise.all(handles.map((run) => run.whenIdle))
    else if (kind === 'active') await new Promise((resolve) => setTimeout(resolve, 5))
    else {
      const results = await Promise.all(handles.map((run) => run.result))
      if (results.some(({ outcome }) => outcome !== 'completed')) throw new Error('A run did not complete.')
      if (kind === 'handle') held.push(...handles)
      if (kind === 'result') held.push(...results)
    }
  }
}

/** A troupe of the same store deletes all ended runs but one. */
async function retainOne(): Promise<void> {
  const keeping = createTroupe({ agents: [agent], store, retention: { runs: { number: 1 } } })
  while ((await store.list('runs', { status: 'settled', limit: 2 })).items.length > 1)
    await new Promise((resolve) => setTimeout(resolve, 20))
  await keeping.close()
}

async function play(many: number): Promise<void> {
  await begin(many)
  if (kind === 'retained') await retainOne()
}

/** Until then V8 still compiles code and grows tables. */
await play(1_000)
const before = await bytes()
await play(runs)
const after = await bytes()
// The number of what is held, so that nothing of it is collected before.
console.log(JSON.stringify({ bytes: (after - before) / runs, held: held.length }))
process.exit()
