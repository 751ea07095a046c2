/** `dispatching`: the one that was chosen answers the task, and with that the dispatcher has its answer. */
import { announceSpent } from '../loop/states/expiring.ts'
import { endingOf } from '../loop/changes/child-ending.ts'
import { crashTakenDown, reportOf, takenDown } from '../loop/child-events.ts'
import { failure } from '../shared/params.ts'
import { selectionSetup } from '../selection/setup.ts'
import { working } from '../selection/working.ts'

export const dispatching = /* @__PURE__ */ selectionSetup.createStateConfig({
  ...working('The one that was chosen answers the task.'),
  id: 'dispatching',
  entry: 'startCalls',
  on: {
    // Whoever was chosen ends with what it has, and so does the dispatcher.
    'budget.spent': { actions: ['expireChildren', announceSpent] },
    'xstate.done.actor.*': {
      target: '#finishing',
      actions: [
        ...takenDown,
        'takeResult',
        { type: 'takeObject', params: reportOf },
        'moveToolState',
        'recordStep',
        'announceStepFinish',
        { type: 'end', params: ({ event }) => endingOf(reportOf({ event }).report) },
      ],
    },
    'xstate.error.actor.*': {
      target: '#finishing',
      actions: [
        ...crashTakenDown,
        'recordStep',
        'announceStepFinish',
        { type: 'end', params: ({ event }) => ({ outcome: 'failed', error: failure({ event }) }) },
      ],
    },
  },
})
