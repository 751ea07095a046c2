/** Files that the agents of a pattern make: the model of the pattern is shown them, and may hand them on. */
import { expect, test } from 'vitest'
import { createDebate } from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { chart, data, filesIn } from './pictures.ts'
import { shown, worker } from '../../support/agents/agents.ts'
import { asksFor, divides, enough, fanOut } from '../../support/agents/fan-outs.ts'
import { plan, planner } from '../../support/agents/planner.ts'

const sent = { type: 'file', mediaType: 'image/png', name: 'chart.png', data }

function cast() {
  const painter = worker('painter', [{ text: 'Here.', files: [chart] }])
  const critic = worker('critic', ['It is good.'])
  return { painter, critic, agents: { painter: painter.agent, critic: critic.agent } }
}

test('a fan-out hands a file of one round on to an agent of the next', async () => {
  const { critic, agents } = cast()
  const { agent, model } = fanOut(
    'divider',
    [
      divides({ goal: 'Draw', agent: 'painter' }),
      asksFor({ goal: 'Judge chart.png', agent: 'critic' }),
      enough,
      'Done.',
    ],
    { agents },
  )
  expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect(filesIn(shown(critic.model, 1).at(-1)?.content)).toEqual([sent])
  expect(shown(model, model.calls.length).flatMap(({ content }) => filesIn(content))).toEqual([sent])
})

test('a planner hands the file of a step on to a later step, and reads it for the answer', async () => {
  const { critic, agents } = cast()
  const { agent, model } = planner(
    {
      plans: [
        plan(
          { id: 'draw', toolHint: 'agent-painter' },
          { id: 'judge', goal: 'Judge chart.png', toolHint: 'agent-critic', dependsOn: ['draw'] },
        ),
      ],
      steps: {
        draw: { tool: 'agent-painter', args: { prompt: 'Draw' } },
        judge: { tool: 'agent-critic', args: { prompt: 'Judge chart.png' } },
      },
      answer: 'Done.',
    },
    { agents },
  )
  expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect(filesIn(shown(critic.model, 1).at(-1)?.content)).toEqual([sent])
  expect(shown(model, model.calls.length).flatMap(({ content }) => filesIn(content))).toEqual([sent])
})

test('a debate is reconciled with the files of the proposals that stand', async () => {
  const left = worker('left', [{ text: 'A first one.', files: [chart] }, 'None.'])
  const right = worker('right', ['None.', { text: 'Here.', files: [chart] }])
  const model = scriptedModel([], { otherwise: 'Both.' })
  const agent = createDebate({
    id: 'debate',
    instructions: 'Judge.',
    model,
    agents: { left: left.agent, right: right.agent },
    rounds: 1,
  })
  expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', text: 'Both.' })
  expect(filesIn(shown(model, 1).at(-1)?.content)).toEqual([sent])
})
