/** An editor whose notices a judge must accept. */
import { createScorer, createSupervisor, type ChatModel } from 'troupe'
import type { Judge } from './scorers.ts'

/** Each answer goes to the judge before it counts. */
export function createEditor(model: ChatModel, judge: Judge) {
  return createSupervisor({
    id: 'editor',
    instructions: 'You are the editor of the notices of a museum. Your answer is the notice alone.',
    model,
    completion: {
      scorers: [
        createScorer({ id: 'names-the-entrance', score: judge('Does it say which entrance is open?') }),
      ],
    },
  })
}
