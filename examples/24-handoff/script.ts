/** What the model says offline. */
import type { Script } from '../support/scripted-server.ts'

export const script: Script = {
  'You are the reception': ({ prompt }) =>
    prompt.includes('has handed this conversation to you')
      ? 'We open at nine. And the 42 euros for May are on their way back to you.'
      : [{ name: 'transfer-to-billing', args: { reason: 'A payment was made twice.' } }],
  'You are the billing department': ({ number }) =>
    number === 0
      ? [{ name: 'invoices', args: { customer: 'Ada' } }]
      : [
          {
            name: 'transfer-to-reception',
            args: { reason: 'The opening hours are left.', prompt: 'The 42 euros are refunded.' },
          },
        ],
}
