/** The AI SDK in both directions: its models for agents, and a team of agents as a model for its `streamText`. */
import { streamText } from 'ai'
import { createTroupe } from 'troupe'
import { toLanguageModel } from 'troupe/ai-sdk'
import { createSeaDesk } from './agents.ts'
import { chooseSdkModel } from './model.ts'
import { script } from './script.ts'

await using source = await chooseSdkModel(script)
console.log(source.notice)
console.log(`The agents' model: ${source.model.provider}/${source.model.modelId}`)

const desk = createSeaDesk(source.model)
const troupe = createTroupe({ agents: [desk] })

// From here on everything is of the package `ai`.
const answer = streamText({
  model: toLanguageModel(desk, { troupe }),
  prompt: 'When is high water in Bergen today?',
})
for await (const part of answer.stream) {
  if (part.type === 'tool-call') console.log(`→ ${part.toolName} ${JSON.stringify(part.input)}`)
  if (part.type === 'tool-result') console.log(`← ${part.toolName} ${JSON.stringify(part.output)}`)
  if (part.type === 'text-delta') process.stdout.write(part.text)
  if (part.type === 'text-end') process.stdout.write('\n')
  if (part.type === 'error') throw part.error
}

const { totalTokens } = await answer.usage
console.log(`\nTokens of all agents: ${totalTokens}`)
console.log('The run:', (await answer.finalStep).providerMetadata?.['troupe'])
