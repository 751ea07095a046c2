/** A clerk whose notices are scored. A supervisor needs no subagents. */
import { createSupervisor, type ChatModel } from 'troupe'
import { createSpelling, isShort, namesTheDay } from './scorers.ts'

export function createClerk(model: ChatModel) {
  return createSupervisor({
    id: 'clerk',
    instructions: 'You write notices for the door of a library. Your answer is the notice alone.',
    model,
    completion: {
      scorers: [namesTheDay, isShort, createSpelling()],
      strategy: 'all', // the default: each must pass; 'any' is content with one
    },
  })
}
