/** `executing`: the chosen primitive is at work. What it gives is the result of the iteration. */
import { childOf, reportOf } from '../loop/reports.ts'
import { failure } from '../params.ts'
import { selectionSetup } from '../selection/setup.ts'
import { working } from '../selection/working.ts'

const recorded = [
  { type: 'recordReport' as const, params: reportOf },
  { type: 'reap' as const, params: childOf },
  'takeResult' as const,
  'recordStep' as const,
  'announceStepFinish' as const,
]

export const executing = selectionSetup.createStateConfig({
  id: 'executing',
  entry: 'startCalls',
  initial: 'agent',
  states: {
    agent: working('A subagent is delegated to.'),
    workflow: working('A workflow runs.'),
    tool: working('A tool is called.'),
  },
  on: {
    'xstate.done.actor.*': [
      {
        guard: { type: 'isBailed', params: reportOf },
        target: '#finishing',
        actions: [
          ...recorded,
          { type: 'end', params: { outcome: 'bailed' } },
          { type: 'announceIterationEnd', params: { continue: false } },
        ],
      },
      { target: '#reviewing', actions: recorded },
    ],
    'xstate.error.actor.*': {
      target: '#reviewing',
      actions: [
        { type: 'recordCrash', params: ({ event }) => ({ child: event.actorId, error: failure({ event }) }) },
        { type: 'reap', params: childOf },
        'takeResult',
        'recordStep',
        'announceStepFinish',
      ],
    },
  },
})
