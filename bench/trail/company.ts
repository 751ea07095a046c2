/** A supervisor that delegates as often as its task says; its helper calls a tool and answers. A delegation is six entries. */
import {
  textOf,
  createAgent,
  createSupervisor,
  createTool,
  createTroupe,
  type ChatModel,
  type Store,
  type ToolCall,
} from 'troupe'
import { z } from 'zod'

const usage = { inputTokens: 40, outputTokens: 10, totalTokens: 50 }

function model(modelId: string, next: (results: number, task: string) => ToolCall | undefined): ChatModel {
  return {
    provider: 'bench',
    modelId,
    async generate({ messages }) {
      const asked = messages.findLast(({ role }) => role === 'user')
      const task = asked?.role === 'user' ? textOf(asked.content) : ''
      const call = next(messages.filter(({ role }) => role === 'tool').length, task)
      return call === undefined
        ? { text: 'Done.', toolCalls: [], finishReason: 'stop', usage }
        : { text: '', toolCalls: [call], finishReason: 'tool-calls', usage }
    },
  }
}

const note = createTool({
  id: 'note',
  description: 'Takes a note.',
  inputSchema: z.object({ about: z.string() }),
  execute: ({ about }) => `noted ${about}`,
})
const helper = createAgent({
  id: 'helper',
  description: 'Takes notes.',
  instructions: 'Take a note.',
  model: model('helper', (results) =>
    results === 0 ? { id: 'note', name: 'note', args: { about: 'the task' } } : undefined,
  ),
  tools: { note },
})
export const lead = createSupervisor({
  id: 'lead',
  instructions: 'Delegate.',
  model: model('lead', (results, task) =>
    results === Number(task)
      ? undefined
      : { id: `c${results}`, name: 'agent-helper', args: { prompt: `Note ${results}` } },
  ),
  agents: { helper },
  maxSteps: 100_000,
  delegation: { messageFilter: () => [] },
})

/** A run of about this many entries; returns its id. */
export async function recordedRun(store: Store, entries: number): Promise<string> {
  const troupe = createTroupe({ agents: [lead], store })
  const run = await troupe.start(lead, String(Math.round(entries / 6)))
  const { outcome } = await run.result
  if (outcome !== 'completed') throw new Error(`The run of the bench is ${outcome}.`)
  await troupe.close()
  return run.id
}
