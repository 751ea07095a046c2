/** A front desk: a meta-router over an analyst, a team and a panel, each of which stands for a pattern. */
import { createAgent, createDebate, createFanOut, createMetaRouter, type ChatModel } from 'troupe'

export function createCompanyDesk(model: ChatModel) {
  const expert = (id: string, description: string) =>
    createAgent({ id, description, instructions: `You are ${id}. Answer in one sentence.`, model })

  const analyst = expert('the-analyst', 'Looks into a question step by step.')
  const team = createFanOut({
    id: 'team',
    description: 'Divides a question among analysts.',
    instructions: 'You lead a team of analysts. Put together what they find.',
    model,
    agents: {
      finance: expert('the-analyst-for-finance', 'Knows figures.'),
      legal: expert('the-analyst-for-law', 'Knows registers.'),
    },
    maxRounds: 1,
  })
  const panel = createDebate({
    id: 'panel',
    description: 'Weighs a decision.',
    instructions: 'You chair a panel. Decide in one sentence.',
    model,
    agents: {
      pro: expert('the-advocate', 'Speaks for it.'),
      contra: expert('the-critic', 'Speaks against it.'),
    },
  })

  return createMetaRouter({
    id: 'desk',
    instructions: 'You are the front desk of a trading company.',
    model,
    // By the names of the patterns. Nothing says yet that there is a `debate`, or when to take it.
    agents: { react: analyst, supervisor: team, debate: panel },
    // Neither is built in: all of it stands in the configuration of the troupe.
    taskTypes: [],
    patterns: [],
  })
}
