/** What the model says offline. */
import type { Script } from '../support/scripted-server.ts'

export const script: Script = {
  'You run the accounts': ({ number }) => {
    if (number === 0) return [{ name: 'agent-clerk', args: { prompt: 'What does invoice 17 ask for?' } }]
    if (number === 1) return [{ name: 'agent-payer', args: { prompt: 'Pay 480 euros to Harbour Paper.' } }]
    return 'Invoice 17 is settled.'
  },
  'You are the clerk': ({ number }) =>
    number === 0 ? [{ name: 'invoice', args: { number: '17' } }] : 'It asks for 480 euros for paper.',
  'You are the payer': ({ number }) =>
    number === 0 ? [{ name: 'pay', args: { to: 'Harbour Paper', euros: 480 } }] : 'Paid, receipt R-1.',
}
