/** What the model says offline. */
import type { Script } from '../support/scripted-server.ts'

export const script: Script = {
  'You organise street festivals': ({ number, results }) =>
    number === 0
      ? [
          ask('music', 'Find two bands for Saturday, and say what the stage needs.'),
          ask('food', 'What will there be to eat?'),
        ]
      : `Come on Saturday! ${results.join(' ')}`,
  'You are in charge of music': ({ number, results }) =>
    number === 0
      ? [
          ask('scout', 'A brass band.'),
          ask('scout', 'A string quartet.'),
          ask('technician', 'A stage for two bands.'),
        ]
      : `${results[0]} ${results[1]}`,
  'You are in charge of food': ({ number, results }) =>
    number === 0 ? [ask('cook', 'One dish for everybody.')] : (results[0] ?? ''),
  'You are a scout': ({ prompt }) =>
    prompt.includes('brass') ? 'The Nine Horns play at five.' : 'The Quiet Four play at eight.',
  'You are the technician': () => 'The stage needs four microphones.',
  'You are the cook': ({ number, results }) => {
    if (number === 0) return [{ name: 'price', args: { ingredient: 'potatoes' } }]
    const { euros } = JSON.parse(results[0] ?? '{}') as { euros: number }
    return `There is potato soup, from potatoes at ${euros} euros a kilo.`
  },
}

function ask(agent: string, prompt: string) {
  return { name: `agent-${agent}`, args: { prompt } }
}
