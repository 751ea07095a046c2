/** The replies of the model offline: those of the desk in both versions, and those of the customer. */
import type { Script } from '../support/scripted-server.ts'

export const script: Script = {
  'You are the eager desk': ({ results }) =>
    results.length === 0 ? [{ name: 'refund', args: { order: 'B-1' } }] : 'I have paid back order B-1.',
  'You are the careful desk': ({ prompt, results }) => {
    if (results.length > 0) return 'I have paid back order A-17.'
    return prompt.includes('A-17') ? [{ name: 'refund', args: { order: 'A-17' } }] : 'Which order is it?'
  },
  'You play a person': ({ prompt }) =>
    JSON.stringify(
      prompt.includes('Which order')
        ? { done: false, message: 'It is order A-17.' }
        : { done: true, message: '' },
    ),
}
