/** An agent whose model does what a test gives: it kills its process, or it answers. */
import { createAgent, type AnyAgent } from 'troupe'
import { scriptedModel } from 'troupe/testing'

export function deadlyAgent(call: () => unknown): AnyAgent {
  const model = scriptedModel(['Done.'])
  return createAgent({
    id: 'deadly',
    description: 'Kills its worker.',
    instructions: 'Work.',
    model: {
      ...model,
      generate: async (request, options) => {
        await call()
        return model.generate(request, options)
      },
    },
  })
}
