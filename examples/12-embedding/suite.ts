/** All that the test kit needs to know of the app: the desk is stood in for, so that no model is asked. */
import type { CoverOptions, Failure } from 'troupe/testing'
import type { Ticket } from './ticket.ts'

const isDown: Failure = { name: 'is down', error: { name: 'Error', code: 'DOWN', message: 'no answer' } }

export const suite: CoverOptions<Ticket> = {
  inputs: { question: { question: 'Where is my lamp?' } },
  // By the names of the sources; what the desk ends with is the result of a run.
  outcomes: {
    desk: [
      { name: 'replies', value: { outcome: 'completed', text: 'On Wednesday.' } },
      { name: 'is exhausted', value: { outcome: 'exhausted', text: '', reason: 'maxSteps' } },
      isDown,
    ],
    post: [{ name: 'delivers', value: undefined }, isDown],
  },
  events: (snapshot) =>
    snapshot.matches('awaitingApproval')
      ? [
          { name: 'approve', event: { type: 'approve' } },
          { name: 'send back', event: { type: 'sendBack', note: 'Shorter.' } },
        ]
      : [],
  invariant(snapshot) {
    if (snapshot.matches('sending') && snapshot.context.reply === '')
      throw new Error('An empty reply is sent.')
  },
}
