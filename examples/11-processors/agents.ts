/** A support desk with guardrails. */
import { createAgent, type ChatModel } from 'troupe'
import { inputProcessors, outputProcessors, type Tell } from './processors.ts'

export function createSupport(model: ChatModel, tell: Tell) {
  return createAgent({
    id: 'support',
    instructions: 'You are the support desk of a shop. Answer in one or two sentences.',
    model,
    inputProcessors: inputProcessors(tell),
    outputProcessors: outputProcessors(tell),
    maxProcessorRetries: 1,
  })
}
