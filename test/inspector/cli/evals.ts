/** A module of evaluations, as `troupe evaluate` is given. The environment says how good the answers are. */
import { createAgent, createScorer } from 'troupe'
import { createEvaluation, scriptedModel } from 'troupe/testing'

const model = scriptedModel([], { otherwise: () => process.env['EVALS_ANSWER'] ?? 'Good.' })

export const greeter = createEvaluation({
  id: 'greeter',
  agent: createAgent({ id: 'greeter', instructions: 'Greet.', model }),
  cases: [{ name: 'hello', prompt: 'Hello' }],
  options: {
    scorers: [createScorer({ id: 'good', score: ({ output }) => (output === 'Good.' ? 1 : 0) })],
  },
})
