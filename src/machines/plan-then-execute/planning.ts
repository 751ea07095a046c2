/** `planning`, `validating` and `replanning`: the model makes the plan, or what remains of it anew; then it is checked. */
import { failure } from '../shared/params.ts'
import { decided, undecided } from '../loop/changes/decision-input.ts'
import type { LoopContext } from '../loop/changes/context.ts'
import { planQuestion } from './questions.ts'
import { planSetup } from './setup.ts'
import { childOf, crashOf, reportOf } from '../loop/child-events.ts'

const asks = {
  type: 'startDecision',
  params: ({ context }: { context: LoopContext }) => planQuestion(context),
} as const

const answered = /* @__PURE__ */ planSetup.createStateConfig({
  on: {
    'xstate.done.actor.*': [
      {
        guard: { type: 'isMade', params: reportOf },
        target: '#validating',
        actions: [
          { type: 'recordReport', params: reportOf },
          { type: 'recordProposal', params: decided },
          { type: 'reap', params: childOf },
        ],
      },
      {
        target: '#validating',
        actions: [
          { type: 'recordReport', params: reportOf },
          { type: 'recordNoProposal', params: undecided },
          { type: 'reap', params: childOf },
        ],
      },
    ],
    'xstate.error.actor.*': {
      target: '#validating',
      actions: [
        { type: 'recordCrash', params: crashOf },
        { type: 'recordNoProposal', params: failure },
        { type: 'reap', params: childOf },
      ],
    },
  },
}).on

export const planning = /* @__PURE__ */ planSetup.createStateConfig({
  id: 'planning',
  description: 'The model lays out the task as steps.',
  entry: asks,
  on: answered,
})

export const validating = /* @__PURE__ */ planSetup.createStateConfig({
  id: 'validating',
  description: 'Nothing runs before it is known that every step can: no unknown ids, no circle, not empty.',
  always: [
    { guard: 'isSoundRevision', target: '#executing', actions: ['announceRevision', 'adoptPlan'] },
    { guard: 'isSound', target: '#executing', actions: ['announcePlan', 'adoptPlan'] },
    { target: '#deciding', actions: 'announceProblem' },
  ],
})

export const replanning = /* @__PURE__ */ planSetup.createStateConfig({
  id: 'replanning',
  description: 'What remains is planned anew; what is finished stays.',
  entry: ['countReplan', asks],
  on: answered,
})
