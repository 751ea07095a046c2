/** An agent whose tool waits for a person, and that says in which edition of its module it works. */
import { createAgent, createTool, type AnyAgent } from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { z } from 'zod'

export function waitingAgent(id: string, edition: string): AnyAgent {
  const act = createTool({
    id: 'act',
    description: 'Acts.',
    inputSchema: z.object({}),
    requireApproval: true,
    execute: () => `done by the ${edition}`,
  })
  const model = scriptedModel([], {
    otherwise: ({ messages }) =>
      messages.some(({ role }) => role === 'tool')
        ? `Done in the ${edition}.`
        : { toolCalls: [{ name: 'act', args: {} }] },
  })
  return createAgent({ id, instructions: 'Act.', model, tools: { act } })
}
