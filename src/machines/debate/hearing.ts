/** A round of a debate: all who take part work side by side, and each is heard before the next state. */
import { onHeld, onReports } from '../loop/acting.ts'
import { childOf, crashOf, delegationReportOf } from '../loop/reports.ts'
import { debateSetup } from './setup.ts'

/** Begins with `opening`, and goes to `next` when everybody has been heard. */
export function hearing<const Id extends string, const Next extends string>(
  id: Id,
  opening: 'propose' | 'criticise',
  next: Next,
  description: string,
) {
  return debateSetup.createStateConfig({
    id,
    description,
    entry: [opening, 'announceStepStart', 'startCalls'],
    initial: 'collecting',
    on: {
      'xstate.done.actor.*': [
        {
          guard: { type: 'isProposal', params: delegationReportOf },
          target: '.judging',
          actions: [
            { type: 'recordProposal', params: delegationReportOf },
            { type: 'reap', params: childOf },
          ],
        },
        {
          target: '.judging',
          actions: [
            { type: 'recordSilence', params: delegationReportOf },
            { type: 'reap', params: childOf },
          ],
        },
      ],
      'xstate.error.actor.*': {
        target: '.judging',
        actions: [
          { type: 'recordProposerCrash', params: crashOf },
          { type: 'reap', params: childOf },
        ],
      },
      ...onHeld('.collecting'),
    },
    states: {
      judging: {
        description: 'After a report: was it the last?',
        always: [
          { guard: 'isBailing', target: '#bailing' },
          { guard: 'allSettled', target: next, actions: ['recordRound', 'announceStepFinish'] },
          { target: 'collecting', actions: 'startCalls' },
        ],
      },
      collecting: { always: { guard: 'onlyHeldLeft', target: 'held' } },
      held: {
        description: 'Only agents that wait for a person are left.',
        entry: 'announceHeld',
        exit: 'announceReleased',
      },
    },
  })
}

export const bailing = /* @__PURE__ */ debateSetup.createStateConfig({
  id: 'bailing',
  description: "An agent's answer is the run's answer. The others are told, and report before the run ends.",
  entry: { type: 'cancelChildren', params: { cause: 'bail', reason: 'Another agent bailed.' } },
  always: {
    guard: 'noLiveChildren',
    target: '#finishing',
    actions: ['recordRound', 'announceStepFinish', { type: 'end', params: { outcome: 'bailed' } }],
  },
  on: { cancel: {}, ...onReports() },
})
