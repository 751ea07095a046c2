/** From Mastra: a program of supervisor agents that runs with its import changed, and its run as Troupe has it. */
import { createScorer } from 'troupe/mastra'
import { chooseModel } from '../support/model.ts'
import { createPressDesk } from './agents.ts'
import { script } from './script.ts'

await using source = await chooseModel(script)
console.log(source.notice)

const cited = createScorer({ id: 'cited', name: 'Cited' }).generateScore(async ({ output }) => ({
  score: /\[\d+\]/.test(output) ? 1 : 0,
  reason: 'A source is needed, such as [1].',
}))

const desk = createPressDesk(source.model)
const stream = await desk.stream('When are the tides?', {
  maxSteps: 10,
  isTaskComplete: {
    scorers: [cited],
    onComplete: async ({ complete }) => console.log(`Scored:  ${complete ? 'complete' : 'not complete'}`),
  },
  delegation: {
    onDelegationStart: async ({ primitiveId, prompt }) => {
      console.log(`Asks:    ${primitiveId}`)
      return { proceed: true, modifiedPrompt: `${prompt} Be brief.` }
    },
  },
})
for await (const chunk of stream.fullStream) {
  if (chunk.type === 'tool-call') console.log(`Calls:   ${chunk.payload.toolName}`)
  if (chunk.type === 'tool-output' && chunk.payload.output.type === 'tool-call')
    console.log('         and that a tool')
}
// An answer that a scorer rejects is in no stream.
console.log(`Answer:  ${await stream.text}`)
console.log(`Finish:  ${await stream.finishReason}`)

// From here on with Troupe's own names: the run is in a journal.
const troupe = await desk.troupe()
const { result } = await troupe.replay(stream.runId)
const agents = result?.delegations.map(({ agent }) => agent).join(', ')
console.log(`Replay:  ${result?.outcome}, by ${agents}, without a model call`)
await troupe.close()
