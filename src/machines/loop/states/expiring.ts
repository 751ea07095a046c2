/**
 * `expiring`: the time of the run is up. Calls in flight expire, whoever owes an outcome is told and waited for, nothing
 * else starts; then the agent has its last word.
 */
import { onLastReports, onReports } from './acting.ts'
import { loopSetup } from '../setup.ts'
import { spentError } from '../changes/spent-error.ts'

/** Where it makes no difference any more: the outcome is settled, or a final turn is under way. */
export const unmoved = { 'budget.spent': {} } as const

/** The ending of an agent whose time is up. */
export const spentEnding = {
  type: 'end',
  params: { outcome: 'exhausted', reason: 'budget' },
} as const

export const announceSpent = { type: 'announceError', params: spentError } as const

/** What all that is under way is told. */
export const expiresAll = ['abortEffects', spentEnding, announceSpent, 'expireChildren'] as const

/** `waits`: there may be somebody to wait for. */
export function expiring({ waits = true }: { waits?: boolean } = {}) {
  return loopSetup.createStateConfig({
    id: 'expiring',
    description: 'The time of the run is up: whoever owes an outcome was told, and is waited for.',
    entry: [...expiresAll, 'settleUnstarted'],
    always: [
      {
        guard: 'hasOpenStep',
        target: '#exhausting',
        actions: ['moveToolState', 'recordStep', 'announceStepFinish'],
      },
      { guard: 'noLiveChildren', target: '#exhausting' },
    ],
    on: waits ? { ...unmoved, ...onReports() } : {},
  })
}

const iterationEnds = { type: 'announceIterationEnd', params: { continue: false } } as const

/** As `expiring`, where the step may be an iteration, which ends with it. */
export const expiringInBackground = /* @__PURE__ */ loopSetup.createStateConfig({
  id: 'expiring',
  description: 'The time of the run is up: whoever owes an outcome was told, and is waited for.',
  entry: [...expiresAll, 'settleUnstarted'],
  initial: 'betweenIterations',
  on: { ...unmoved, ...onLastReports() },
  states: {
    inIteration: {
      id: 'expiringIteration',
      always: [
        { guard: 'isBailing', target: '#bailing' },
        {
          guard: 'hasOpenStep',
          target: '#exhausting',
          actions: ['moveToolState', 'recordStep', 'announceStepFinish', iterationEnds],
        },
        { guard: 'noLiveChildren', target: '#exhausting', actions: iterationEnds },
      ],
    },
    betweenIterations: {
      always: [
        { guard: 'isBailing', target: '#bailing' },
        { guard: 'noLiveChildren', target: '#exhausting' },
      ],
    },
  },
})

/** Ends a state in which an iteration is open. */
export const spentInIteration = { 'budget.spent': '#expiringIteration' } as const

/** Ends a state in which nothing may follow, not even a last word. */
export const spentForGood = {
  'budget.spent': { target: '#finishing', actions: ['abortEffects', spentEnding, announceSpent] },
} as const
