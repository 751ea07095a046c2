/** A translator, which makes one call of its model for each word. */
import { createAgent, type ChatModel } from 'troupe'

export function createTranslator(model: ChatModel) {
  return createAgent({ id: 'translator', instructions: 'Translate the word into French.', model })
}
