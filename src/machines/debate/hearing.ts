/** A round of a debate: all who take part work side by side, and each is heard before the next state. */
import { onHeld, onReports } from '../loop/states/acting.ts'
import { expiresAll, unmoved } from '../loop/states/expiring.ts'
import { childOf, crashOf, delegationReportOf } from '../loop/child-events.ts'
import { debateSetup } from './setup.ts'

/** What is heard of those who take part; then `target`. */
function heard<const Target extends string>(target: Target) {
  return {
    'xstate.done.actor.*': [
      {
        guard: { type: 'isProposal', params: delegationReportOf },
        target,
        actions: [
          { type: 'recordProposal', params: delegationReportOf },
          { type: 'reap', params: childOf },
        ],
      },
      {
        target,
        actions: [
          { type: 'recordSilence', params: delegationReportOf },
          { type: 'reap', params: childOf },
        ],
      },
    ],
    'xstate.error.actor.*': {
      target,
      actions: [
        { type: 'recordProposerCrash', params: crashOf },
        { type: 'reap', params: childOf },
      ],
    },
  } as const
}

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
      'budget.spent': '#expiringRound',
      ...heard('.judging'),
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
  on: { cancel: {}, ...unmoved, ...onReports() },
})

export const expiringRound = /* @__PURE__ */ debateSetup.createStateConfig({
  id: 'expiringRound',
  description:
    'The time of the run is up in the midst of a round: what is still said counts, and nobody else is asked.',
  entry: [...expiresAll],
  initial: 'judging',
  on: { ...unmoved, ...heard('.judging') },
  states: {
    judging: {
      always: [
        { guard: 'isBailing', target: '#bailing' },
        {
          guard: 'noLiveChildren',
          target: '#exhausting',
          actions: ['recordRound', 'announceStepFinish', 'askForReconciliation'],
        },
      ],
    },
  },
})
