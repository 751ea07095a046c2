/** What the model says offline. */
import type { Script } from '../support/scripted-server.ts'

const menu = 'Lentil soup, bread and plum cake, all of it vegan, for 14 euros a head.'

export const script: Script = {
  'You plan the team lunch': ({ number, prompt, results }) => {
    switch (number) {
      case 0:
        return [
          { name: 'agent-chef', args: { prompt: 'Propose a lunch for 12 people.' } },
          { name: 'agent-buyer', args: { prompt: 'Order lunch for 12 people.' } },
        ]
      case 1: // the prompt is the feedback of the hook
        return [{ name: 'agent-chef', args: { prompt: `Propose another, two are vegan. ${prompt}` } }]
      case 2:
        return [{ name: 'agent-buyer', args: { prompt: `Order for 12 people: ${results[0]}` } }]
      case 3:
        return 'There will be lentil soup, bread and plum cake on Friday.'
      default:
        return 'There will be lentil soup, bread and plum cake on Friday, for 168 euros in total.'
    }
  },
  'You are the chef': ({ prompt }) =>
    prompt.includes('at most 20 euros')
      ? menu
      : 'Lobster rolls, artichokes for the vegans and lemon sorbet, for 45 euros a head.',
  'You are the buyer': () => 'Soup, bread and cake for 12 are ordered.',
}
