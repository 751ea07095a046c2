/** A keeper of notes: before its model is called, notes of the customer that fit the question are looked up. */
import { createAgent, type ChatModel } from 'troupe'
import { recall, type RecallOptions } from 'troupe/recall'

export function createKeeper(model: ChatModel, search: RecallOptions['search']) {
  return createAgent({
    id: 'keeper',
    instructions: 'You answer from the notes of the customer.',
    model,
    inputProcessors: [recall({ search, limit: 3 })],
    hookTimeout: 5_000,
  })
}
