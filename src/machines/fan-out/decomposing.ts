/** `decomposing` and `dispatching`: the task is divided into goals, and these are registered before they are given out. */
import type { ErrorData } from '../../errors.ts'
import { decomposition } from './goals.ts'
import { onDecision } from './on-decision.ts'
import { fanOutSetup } from './setup.ts'

const noAgents: ErrorData = {
  name: 'NoCandidatesError',
  code: 'NO_CANDIDATES',
  message: 'A fan-out needs at least one agent.',
}

export const decomposing = /* @__PURE__ */ fanOutSetup.createStateConfig({
  id: 'decomposing',
  description: 'The task is divided into goals that do not depend on each other.',
  initial: 'choosing',
  states: {
    choosing: {
      description: 'Agents that are made for each run may have turned out to be none.',
      always: [
        {
          guard: 'hasNoAgents',
          target: '#finishing',
          actions: [
            { type: 'end', params: { outcome: 'failed', error: noAgents } },
            { type: 'announceError', params: noAgents },
          ],
        },
        { target: 'asking' },
      ],
    },
    asking: {
      entry: { type: 'startDecision', params: ({ context }) => decomposition(context) },
      on: onDecision('#dispatching', { target: '#finishing', ends: true }),
    },
  },
})

export const dispatching = /* @__PURE__ */ fanOutSetup.createStateConfig({
  id: 'dispatching',
  description:
    'The children of the round are registered, each with an id of its own: equal goals are two children.',
  entry: ['openRound', 'announceOpenStep', 'announceFanOut'],
  always: 'collecting',
})
