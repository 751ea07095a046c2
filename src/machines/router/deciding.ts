/** `deciding` of a router: as in every loop, but what a primitive gave may be the answer, where the scorers say so. */
import { deciding as decidingOn } from '../loop/states/deciding.ts'
import { selectionSetup } from '../selection/setup.ts'

const shared = decidingOn({ reviewed: true, inBackground: false, next: '#routing', cap: 'maxIterations' })

export const deciding = /* @__PURE__ */ selectionSetup.createStateConfig({
  ...shared,
  initial: 'weighing',
  states: {
    ...shared.states,
    weighing: {
      description: 'Are the scorers content with what a primitive gave?',
      always: [
        {
          guard: 'isScoredOnResult',
          target: '#finishing',
          actions: [
            { type: 'end', params: { outcome: 'completed' } },
            { type: 'announceIterationEnd', params: { continue: false } },
          ],
        },
        {
          guard: 'isScoredToWrite',
          target: '#thinking',
          actions: [
            { type: 'announceIterationEnd', params: { continue: true } },
            'beginStep',
            'announceIterationStart',
            'announceStepStart',
            'askForAnswerNow',
          ],
        },
        { target: 'judging' },
      ],
    },
  },
})
