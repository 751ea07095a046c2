/** `expiring` of a router: the primitive at work was told, and what it still gives is on record. */
import { onReports } from '../loop/states/acting.ts'
import { expiresAll, unmoved } from '../loop/states/expiring.ts'
import { selectionSetup } from '../selection/setup.ts'

const iterationEnds = { type: 'announceIterationEnd', params: { continue: false } } as const
const stepEnds = ['takeResult', 'moveToolState', 'recordStep', 'announceStepFinish'] as const

export const expiring = /* @__PURE__ */ selectionSetup.createStateConfig({
  id: 'expiringIteration',
  description: 'The time of the run is up: whoever owes an outcome was told, and is waited for.',
  entry: [...expiresAll, 'settleUnstarted'],
  always: [
    {
      guard: 'isBailing',
      target: '#finishing',
      actions: [...stepEnds, { type: 'end', params: { outcome: 'bailed' } }, iterationEnds],
    },
    { guard: 'hasOpenStep', target: '#exhausting', actions: [...stepEnds, iterationEnds] },
    { guard: 'noLiveChildren', target: '#exhausting', actions: iterationEnds },
  ],
  on: { ...unmoved, ...onReports() },
})
