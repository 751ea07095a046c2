/** A lead with a clerk, whose models answer by the conversation alone, so that any process goes on with their run. */
import { existsSync } from 'node:fs'
import { createAgent, createSupervisor, createTool, textOf, type ChatModel, type ModelReply } from 'troupe'
import { z } from 'zod'

/** The number of stamps: each waits for its file. */
export const stamps = 12

const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }

/** Speaks in pieces. */
function model(modelId: string, reply: (answers: readonly string[]) => Partial<ModelReply>): ChatModel {
  return {
    provider: 'test',
    modelId,
    async generate({ messages }, { onDelta }) {
      const answers = messages.flatMap(({ role, content }) => (role === 'tool' ? [textOf(content)] : []))
      const { text = '', toolCalls = [] } = reply(answers)
      for (const piece of text.split(/(?<= )/)) {
        onDelta?.({ type: 'text', text: piece })
        await new Promise((resolve) => setTimeout(resolve, 2))
      }
      return { text, toolCalls, finishReason: toolCalls.length === 0 ? 'stop' : 'tool-calls', usage }
    },
  }
}

const call = (name: string, args: object, id: string) => [{ id, name, args: args as never }]

/** `folder`: has the files that the stamps wait for. */
export function createCrew(folder: string) {
  const stamp = createTool({
    id: 'stamp',
    description: 'Stamps.',
    inputSchema: z.object({ number: z.number() }),
    onInterrupted: 'retry',
    async execute({ number }, { signal }) {
      while (!existsSync(`${folder}/stamp-${number}`)) {
        signal.throwIfAborted()
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
      return `stamped ${number}`
    },
  })
  const clerk = createAgent({
    id: 'clerk',
    description: 'Stamps papers.',
    instructions: 'Stamp.',
    tools: { stamp },
    maxSteps: stamps + 2,
    model: model('clerk', (answers) =>
      answers.length < stamps
        ? {
            text: `Paper ${answers.length} is the next one. `,
            toolCalls: call('stamp', { number: answers.length }, `stamp-${answers.length}`),
          }
        : { text: 'All papers are stamped.' },
    ),
  })
  return createSupervisor({
    id: 'lead',
    instructions: 'Have it done.',
    agents: { clerk },
    model: model('lead', (answers) =>
      answers.length === 0
        ? { text: 'The clerk does it. ', toolCalls: call('agent-clerk', { prompt: 'Stamp them' }, 'ask') }
        : { text: 'It is done, all of it.' },
    ),
  })
}
