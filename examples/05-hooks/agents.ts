/** A planner who asks a chef and a buyer, under the hooks of `hooks.ts`. */
import { createAgent, createSupervisor, type ChatModel } from 'troupe'
import { createHooks, type Tell } from './hooks.ts'

export function createPlanner(model: ChatModel, tell: Tell) {
  const chef = createAgent({
    id: 'chef',
    description: 'Proposes a menu and its price.',
    instructions: 'You are the chef. Propose one menu in one sentence, with its price in euros a head.',
    model,
  })
  const buyer = createAgent({
    id: 'buyer',
    description: 'Orders the food of a menu.',
    instructions: 'You are the buyer. Confirm in one sentence what you have ordered.',
    model,
  })
  return createSupervisor({
    id: 'planner',
    instructions:
      'You plan the team lunch: have a menu proposed, have it ordered, then say what there will be.',
    model,
    agents: { chef, buyer },
    maxSteps: 8,
    ...createHooks(tell),
  })
}
