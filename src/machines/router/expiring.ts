/** `expiring` of a router: the primitive at work was told, and what it still gives is on record. */
import { expiring as expiringOf } from '../loop/expiring.ts'
import { selectionSetup } from '../selection/setup.ts'

const shared = expiringOf({ delegates: false, reviewed: true })

const iterationEnds = { type: 'announceIterationEnd', params: { continue: false } } as const
const stepEnds = ['takeResult', 'moveToolState', 'recordStep', 'announceStepFinish'] as const

export const expiring = /* @__PURE__ */ selectionSetup.createStateConfig({
  ...shared,
  states: {
    ...shared.states,
    inIteration: {
      id: 'expiringIteration',
      always: [
        {
          guard: 'isBailing',
          target: '#finishing',
          actions: [...stepEnds, { type: 'end', params: { outcome: 'bailed' } }, iterationEnds],
        },
        { guard: 'hasOpenStep', target: '#exhausting', actions: [...stepEnds, iterationEnds] },
        { guard: 'noLiveChildren', target: '#exhausting', actions: iterationEnds },
      ],
    },
  },
})
