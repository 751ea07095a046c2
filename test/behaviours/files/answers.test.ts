/** Answers that are files alone. */
import { expect, test } from 'vitest'
import { chart, data } from './pictures.ts'
import { done, router, toAgent } from '../../support/agents/routing.ts'
import { worker } from '../../support/agents/agents.ts'

const sent = { type: 'file', mediaType: 'image/png', name: 'chart.png', data }

test.each(['Here.', ''])(
  'a router that leaves its answer out has the last result: %j and files',
  async (text) => {
    const desk = router('desk', [toAgent('painter', 'Draw'), done('')], {
      agents: {
        painter: worker('painter', [{ text, files: [chart] }]).agent,
        other: worker('other', ['x']).agent,
      },
    })
    expect(await desk.agent.generate('Go')).toMatchObject({ outcome: 'completed', text, files: [sent] })
  },
)
