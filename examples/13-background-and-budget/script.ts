/** What the model says offline. */
import type { Script } from '../support/scripted-server.ts'

export const script: Script = {
  'You edit the newsletter': ({ number, prompt, results }) => {
    if (number === 0)
      return [
        ask('archivist', 'What happened at earlier spring fairs?'),
        ask('reporter', 'What is planned for this one?'),
      ]
    if (prompt.includes('your last turn')) return 'In short: the spring fair is on Saturday, with a band.'
    const news = /has ended \((\w+)\): (.*)/s.exec(prompt)
    if (news === null) return `A draft: ${results[1]} I wait for the archive.`
    return news[1] === 'succeeded'
      ? `The spring fair is on Saturday, with a band. ${news[2]}`
      : 'The spring fair is on Saturday, with a band. Bring an umbrella.'
  },
  'You are the archivist': ({ number, prompt, results }) => {
    if (number === 0) return [{ name: 'search', args: { words: 'spring fair' } }]
    if (prompt.includes('your last turn')) return 'There was a fair in 1911.'
    return `The first one was held in the rain of ${results[0]?.slice(0, 4)}.`
  },
  'You are the reporter': () => 'There will be a band on Saturday.',
}

function ask(agent: string, prompt: string) {
  return { name: `agent-${agent}`, args: { prompt } }
}
