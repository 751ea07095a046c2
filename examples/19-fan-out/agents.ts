/** A risk desk: a fan-out that divides a question among analysts, and asks again where their results leave a gap. */
import { createAgent, createFanOut, createTool, type ChatModel } from 'troupe'
import { z } from 'zod'

export function createRiskDesk(model: ChatModel) {
  const finance = createAgent({
    id: 'finance',
    description: 'Knows figures: turnover, debts, ratings.',
    instructions: 'You are the analyst for finance. Look figures up, then answer in one sentence.',
    model,
    tools: { figures },
  })
  const legal = createAgent({
    id: 'legal',
    description: 'Knows registers: lawsuits, sanctions, licences.',
    instructions: 'You are the analyst for law. Answer in one sentence.',
    model,
  })
  const press = createAgent({
    id: 'press',
    description: 'Knows what is written about a company.',
    instructions: 'You are the analyst for the press. Answer in one sentence.',
    model,
  })

  return createFanOut({
    id: 'desk',
    instructions: 'You assess the risk of partners. Weigh what your analysts found against each other.',
    model,
    agents: { finance, legal, press },
    maxGoals: 4,
    maxRounds: 2,
    delegation: {
      onDelegationStart: ({ prompt }) =>
        prompt.includes('private')
          ? { proceed: false, rejectionReason: 'We do not look into private lives.' }
          : {},
    },
  })
}

const figures = createTool({
  id: 'figures',
  description: 'The figures of a company in its last year.',
  inputSchema: z.object({ company: z.string() }),
  execute: ({ company }) => ({ company, turnover: 12_000_000, debts: 900_000 }),
})
