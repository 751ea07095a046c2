/** What the model says offline. */
import type { Script } from '../support/scripted-server.ts'

export const script: Script = {
  'You plan trips': ({ number, results }) => {
    if (number === 0) return [{ name: 'agent-scout', args: { prompt: 'What is Berlin to Paris today?' } }]
    const [train, plane] = numbersIn(results[0])
    if (train === undefined) return 'I do not know the fares of today; ask again tomorrow.'
    if (plane === undefined || train < plane) return `Take the train: it is ${train} euros.`
    return `Take the plane: it is ${plane} euros, and the train ${train}.`
  },
  'You are the scout': ({ number, results }) => {
    if (number === 0) return [{ name: 'fares', args: { from: 'Berlin', to: 'Paris' } }]
    const [train, plane] = numbersIn(results[0])
    return train === undefined
      ? 'The fares cannot be looked up.'
      : `The train is ${train} euros, the plane ${plane}.`
  },
}

function numbersIn(text = ''): number[] {
  return (text.match(/\d+/g) ?? []).map(Number)
}
