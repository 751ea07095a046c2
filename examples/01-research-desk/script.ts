/** What the three agents say offline. Notes and drafts travel through the real conversation. */
import type { Script, Turn } from '../support/scripted-server.ts'
import { article } from './article.ts'
import type { Source } from './library.ts'

export function deskScript(topic: string): Script {
  return { 'You lead a research desk': lead, 'You are a researcher': researcher, 'You are a writer': writer }

  function lead({ number, results }: Turn) {
    switch (number) {
      case 0:
        return [
          delegate('researcher', `How did work on ${topic} begin, and what does practice show?`),
          delegate('researcher', `What are the costs and the open questions of ${topic}? Give sources.`),
          delegate('writer', `Write an article about ${topic}.`),
        ]
      case 1:
        return [
          delegate(
            'writer',
            `Write a short article about ${topic} from these notes.\n${results.slice(0, 2).join('\n')}`,
          ),
        ]
      case 3:
        return [
          delegate(
            'writer',
            `Revise the article about ${topic}: cite the source of each statement, like [1].`,
          ),
        ]
      default:
        return results[0] ?? ''
    }
  }

  function researcher({ number, prompt, results }: Turn) {
    if (number === 0) {
      const query = prompt.includes('open questions')
        ? `the visible cost and the open questions of ${topic}`
        : `the early history and the practice of ${topic}`
      return [{ name: 'search', args: { query } }]
    }
    if (number === 1) {
      const found = JSON.parse(results[0] ?? '[]') as readonly Source[]
      return found.map(({ id }) => ({ name: 'read', args: { id } }))
    }
    return results
      .map((result) => JSON.parse(result) as Source)
      .map(({ id, title, text }) => `- ${text} [${id}: ${title}]`)
      .join('\n')
  }

  function writer({ prompt }: Turn) {
    return article(topic, { cited: prompt.startsWith('Revise') })
  }
}

function delegate(agent: string, prompt: string) {
  return { name: `agent-${agent}`, args: { prompt } }
}
