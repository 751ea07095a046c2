/** What the model says offline. */
import type { Script } from '../support/scripted-server.ts'

export const script: Script = {
  'You run a bakery': ({ number, results: [result = ''] }) => {
    if (number === 0) return [{ name: 'agent-recipes', args: { prompt: 'How long does rye bread take?' } }]
    if (number === 1) return [{ name: 'bake', args: { bread: 'rye bread', minutes: Number(result) } }]
    const { loaf } = JSON.parse(result) as { loaf?: string }
    return loaf === undefined ? 'I am sorry, there is no rye bread today.' : `Here is your ${loaf}.`
  },
  'You know recipes': () => '50',
}
