/** `executing`: the chosen primitive is at work. What it gives is the result of the iteration. */
import { spentInIteration } from '../loop/states/expiring.ts'
import { crashTakenDown, reportOf, takenDown } from '../loop/child-events.ts'
import { selectionSetup } from '../selection/setup.ts'
import { working } from '../selection/working.ts'

const resultTaken = ['takeResult', 'moveToolState', 'recordStep', 'announceStepFinish'] as const

export const executing = /* @__PURE__ */ selectionSetup.createStateConfig({
  id: 'executing',
  entry: 'startCalls',
  initial: 'agent',
  states: {
    agent: working('A subagent is delegated to.'),
    workflow: working('A workflow runs.'),
    tool: working('A tool is called.'),
  },
  on: {
    ...spentInIteration,
    'xstate.done.actor.*': [
      {
        guard: { type: 'isBailed', params: reportOf },
        target: '#finishing',
        actions: [
          ...takenDown,
          ...resultTaken,
          { type: 'end', params: { outcome: 'bailed' } },
          { type: 'announceIterationEnd', params: { continue: false } },
        ],
      },
      { target: '#reviewing', actions: [...takenDown, ...resultTaken] },
    ],
    'xstate.error.actor.*': {
      target: '#reviewing',
      actions: [...crashTakenDown, ...resultTaken],
    },
  },
})
