/** A program without anything of Node, for a bundle for browsers. */
import { createAgent } from 'troupe'
import { toMermaid } from 'troupe/diagram'

const parrot = {
  provider: 'mine',
  modelId: 'parrot',
  generate: async () => ({
    text: 'Hello.',
    toolCalls: [],
    finishReason: 'stop',
    usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
  }),
}

async function main() {
  const agent = createAgent({ id: 'parrot', model: parrot })
  const { outcome, text } = await agent.generate('Hi')
  if (`${outcome} ${text}` !== 'completed Hello.') throw new Error(`It answered: ${outcome} ${text}`)
  if (!toMermaid(agent.chart()).startsWith('stateDiagram')) throw new Error('There is no chart.')
  console.log('The bundle for browsers works.')
}

void main()
