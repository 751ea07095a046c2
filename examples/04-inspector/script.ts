/** What the model says offline. */
import type { Script } from '../support/scripted-server.ts'

export const script: Script = {
  'You run the shop': ({ number, results }) =>
    number === 0
      ? [
          { name: 'agent-clerk', args: { prompt: 'How many desk lamps do we have?' } },
          { name: 'agent-clerk', args: { prompt: 'How many armchairs do we have?' } },
        ]
      : `Thank you for asking! ${results.join(' ')}`,
  'You are the stock clerk': ({ number, prompt, results }) => {
    const article = prompt.includes('lamp') ? 'desk lamp' : 'armchair'
    if (number === 0) return [{ name: 'stock', args: { article } }]
    const { count } = JSON.parse(results[0] ?? '{}') as { count: number }
    return count === 0 ? `We have no ${article}.` : `We have ${count} of the ${article}.`
  },
}
