/** What an edge of an exploration costs: CPU, and how many model calls of scenario (d) that is. */
import { createAgent, createSupervisor, createTool, createTroupe, type ChatModel } from 'troupe'
import { answers, calls, explore, fails, gives, type ExploreOptions } from 'troupe/testing'
import { z } from 'zod'
import { median } from './support/statistics.ts'

const rounds = 5
const runs = 300
const modelCalls = 3

const usage = { inputTokens: 40, outputTokens: 10, totalTokens: 50 }

/** Calls its tool twice, and then answers. */
const model: ChatModel = {
  provider: 'bench',
  modelId: 'instant',
  async generate({ messages }) {
    const done = messages.filter(({ role }) => role === 'tool').length
    return done === modelCalls - 1
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
const pay = createTool({
  id: 'pay',
  description: 'Pays.',
  inputSchema: z.object({ order: z.string() }),
  requireApproval: true,
  execute: ({ order }) => order,
})
const solo = createAgent({ id: 'solo', instructions: 'Take notes.', model, tools: { note } })

function worker(id: string, tools = {}) {
  return createAgent({ id, description: `Does ${id}.`, instructions: '', model, tools })
}

const [a, b, c] = [worker('a'), worker('b'), worker('c')]
const okOrFails = [answers('Ok.'), fails()]

const three = createSupervisor({
  id: 'lead',
  instructions: '',
  model,
  agents: { a, b, c },
  delegation: { onDelegationComplete: () => undefined },
})
const threeOptions: ExploreOptions = {
  say: {
    lead: [answers('Done.'), calls({ a: 'Go.', b: 'Go.', c: 'Go.' })],
    a: okOrFails,
    b: okOrFails,
    c: okOrFails,
  },
  hooks: { onDelegationComplete: [gives({ bail: true }), gives({ bail: false })] },
  limits: { steps: 1 },
}
const payers = createSupervisor({
  id: 'lead',
  instructions: '',
  model,
  agents: { a: worker('a', { note, pay }), b: worker('b', { note, pay }) },
})
const payersOptions: ExploreOptions = {
  say: { lead: [answers('Done.'), calls({ a: 'Go.', b: 'Go.' })] },
  limits: { steps: 1 },
}

/** Milliseconds of CPU. */
async function cpuOf(act: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await act()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

async function measured(act: () => Promise<unknown>): Promise<number> {
  await act() // warm-up
  const times: number[] = []
  for (let round = 0; round < rounds; round++) times.push(await cpuOf(act))
  return median(times)
}

async function runAll(): Promise<void> {
  const troupe = createTroupe({ agents: [solo] })
  const started = await Promise.all(Array.from({ length: runs }, () => troupe.start(solo, 'Go.')))
  await Promise.all(started.map(({ result }) => result))
}

const perCall = (await measured(runAll)) / (runs * modelCalls)
console.log(`A model call of (d): ${perCall.toFixed(3)} ms of CPU.`)
for (const [name, agent, options] of [
  ['three children, bail, failures, cancels', three, threeOptions],
  ['two children with tools and approvals, failures, cancels', payers, payersOptions],
] as const) {
  const { states, edges, isComplete } = await explore(agent, options)
  const perEdge = (await measured(() => explore(agent, options))) / edges
  const times = (perEdge / perCall).toFixed(1)
  console.log(
    `${name}: ${states} states, ${edges} edges, complete: ${isComplete}; ${perEdge.toFixed(2)} ms of CPU an edge, ${times} model calls.`,
  )
}
