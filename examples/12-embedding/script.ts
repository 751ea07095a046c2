/** What the model says offline. */
import type { Script } from '../support/scripted-server.ts'

export const script: Script = {
  'You run a support desk': ({ number, results: [result = ''] }) => {
    if (number === 0) return [{ name: 'agent-clerk', args: { prompt: 'Where is order A-17?' } }]
    if (number === 1) return [{ name: 'agent-writer', args: { prompt: `Tell the customer: ${result}` } }]
    return result
  },
  'You look up orders': ({ number, results: [result = '{}'] }) => {
    if (number === 0) return [{ name: 'order', args: { id: 'A-17' } }]
    const { id, left, arrives } = JSON.parse(result) as { id: string; left: string; arrives: string }
    return `Order ${id} left on ${left} and arrives on ${arrives}.`
  },
  'You write replies': ({ prompt }) => `Dear Ann, good news! ${prompt.replace('Tell the customer: ', '')}`,
}
