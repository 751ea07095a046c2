/**
 * Bytes that a run leaves in a SQLite file, by its kind: the file is compacted before and after, and the difference is divided by the
 * number of runs. Sizes do not depend on the load of the machine.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import {
  createAgent,
  createFanOut,
  createSupervisor,
  createTool,
  createTroupe,
  type AnyAgent,
  type ChatModel,
} from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { z } from 'zod'

const number = 200
const usage = { inputTokens: 400, outputTokens: 100, totalTokens: 500 }
const answer = 'The tide comes in twice a day, since the moon and the sun pull at the sea. '.repeat(8)

type Call = { readonly name: string; readonly args: Record<string, string | number> }

/** Makes these calls, one step after another, and answers when each has its result. */
function modelOf(...steps: readonly (readonly Call[])[]): ChatModel {
  return {
    provider: 'bench',
    modelId: 'instant',
    async generate({ messages }) {
      const since = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1)
      const step = steps[since.filter(({ role }) => role === 'assistant').length] ?? []
      const toolCalls = step.map((call, index) => ({ id: `call-${since.length}-${index}`, ...call }))
      return step.length === 0
        ? { text: answer, toolCalls: [], finishReason: 'stop', usage }
        : { text: '', toolCalls, finishReason: 'tool-calls', usage }
    },
  }
}

const look = createTool({
  id: 'look',
  description: 'Looks something up.',
  inputSchema: z.object({ what: z.string() }),
  execute: ({ what }) => ({ what, found: 'x'.repeat(1_000) }),
})
const pay = createTool({
  id: 'pay',
  description: 'Pays.',
  inputSchema: z.object({ euros: z.number() }),
  requireApproval: true,
  execute: () => 'Paid.',
})
const lookUp: Call = { name: 'look', args: { what: 'the tide' } }
const clerk = createAgent({ id: 'clerk', description: 'Looks.', tools: { look }, model: modelOf([lookUp]) })
const delegate = { name: 'agent-clerk', args: { prompt: 'Look up the tide, and say what you find.' } }

const kinds = {
  'an answer': createAgent({ id: 'plain', model: modelOf() }),
  'an answer with memory': createAgent({ id: 'remembers', model: modelOf(), memory: true }),
  'three tool calls of 1 kB': createAgent({
    id: 'looks',
    tools: { look },
    model: modelOf([lookUp], [lookUp], [lookUp]),
  }),
  'a call that waits for approval': createAgent({
    id: 'pays',
    tools: { pay },
    model: modelOf([{ name: 'pay', args: { euros: 7 } }]),
  }),
  'two delegations with a tool call each': createSupervisor({
    id: 'boss',
    agents: { clerk },
    model: modelOf([delegate], [delegate]),
  }),
  'a fan-out of ten': createFanOut({
    id: 'many',
    maxRounds: 1,
    maxGoals: 10,
    agents: { clerk },
    model: {
      provider: 'bench',
      modelId: 'goals',
      async generate({ responseFormat }) {
        const goals = Array.from({ length: 10 }, (_, index) => ({
          agent: 'clerk',
          goal: `Look up tide ${index}.`,
        }))
        const text = responseFormat === undefined ? answer : JSON.stringify({ goals })
        return { text, toolCalls: [], finishReason: 'stop', usage }
      },
    },
  }),
}

function sizeOf(file: string): number {
  const database = new DatabaseSync(file)
  database.exec('vacuum; pragma wal_checkpoint(truncate)')
  database.close()
  return statSync(file).size
}

const folder = mkdtempSync(join(tmpdir(), 'troupe-growth-'))
for (const [kind, agent] of Object.entries(kinds)) {
  const file = join(folder, `${agent.id}.db`)
  const fill = async (runs: number): Promise<{ readonly entries: number; readonly outcome: string }> => {
    const store = sqliteStore(file)
    const troupe = createTroupe({ agents: [agent], store })
    let entries = 0
    let outcome = 'waiting'
    for (let count = 0; count < runs; count++) {
      const run = await troupe.start(
        agent as AnyAgent as typeof clerk,
        'When does the tide come in at Bergen tomorrow?',
      )
      const idle = await run.whenIdle
      outcome = idle.outcome
      entries = (await troupe.journal(run.id)).length
    }
    await troupe.close()
    await store.close()
    return { entries, outcome }
  }
  await fill(1)
  const before = sizeOf(file)
  const { entries, outcome } = await fill(number)
  const bytes = (sizeOf(file) - before) / number
  console.log(
    `${kind.padEnd(40)} ${(bytes / 1000).toFixed(1).padStart(6)} kB, ${entries} entries, ${outcome}`,
  )
}
rmSync(folder, { recursive: true })
