/** A reporter, whose runs a schedule starts, and a clerk, who sends a bill and sleeps until it must be looked at again. */
import { createAgent, sleepUntil, type ChatModel } from 'troupe'

export function createReporter(model: ChatModel) {
  return createAgent({ id: 'reporter', instructions: 'Write the report of the day.', model })
}

export function createClerk(model: ChatModel) {
  return createAgent({
    id: 'clerk',
    instructions: 'Send the bill, and sleep for three days. Remind the customer then.',
    model,
    tools: { 'sleep-until': sleepUntil() },
  })
}
