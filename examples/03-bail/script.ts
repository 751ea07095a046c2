/** What the model says offline. */
import type { Script } from '../support/scripted-server.ts'

const answer =
  'Yes: unused goods can be sent back within 30 days. Use the label in the parcel; the postage is on us.'

export const script: Script = {
  'You run the front desk': ({ number, prompt }) =>
    number === 0
      ? [{ name: 'agent-faq', args: { prompt: `Answer the customer: ${prompt}` } }]
      : `Thank you for your question! ${answer} Is there anything else that we can do for you?`,
  'You answer from the handbook': ({ number }) =>
    number === 0 ? [{ name: 'handbook', args: { page: 'returns' } }] : answer,
}
