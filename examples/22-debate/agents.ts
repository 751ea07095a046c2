/** A village council: three who see things differently, and a chair who makes one answer of it. */
import { createAgent, createDebate, type ChatModel } from 'troupe'

export function createCouncil(model: ChatModel) {
  const member = (id: string, view: string) =>
    createAgent({
      id,
      description: `Sees ${view}.`,
      instructions: `You are the ${id} of a village council and see ${view}. Answer in one sentence.`,
      model,
    })

  return createDebate({
    id: 'council',
    instructions: 'You chair a village council. Decide in one or two sentences.',
    model,
    agents: {
      engineer: member('engineer', 'what can be built, and how long it lasts'),
      treasurer: member('treasurer', 'what it costs'),
      ferryman: member('ferryman', 'who lives on the river'),
    },
    rounds: 1, // of criticism
    quorum: 2, // proposals that are enough to go on
    delegation: {
      onDelegationStart: ({ agentName, iteration }) =>
        agentName === 'ferryman' && iteration === 2
          ? { proceed: false, rejectionReason: 'The ferry leaves at six.' }
          : {},
    },
  })
}
