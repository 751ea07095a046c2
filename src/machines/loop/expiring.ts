/**
 * `expiring`: the time of the run is up. Calls in flight expire, whoever owes an outcome is told and waited for, nothing
 * else starts; then the agent has its last word.
 */
import { onLastReports, onReports } from './acting.ts'
import { loopSetup } from './setup.ts'
import { spentError } from './spent-error.ts'

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

const iterationEnds = { type: 'announceIterationEnd', params: { continue: false } } as const

/** `delegates`: an agent may have bailed meanwhile. `reviewed`: the step may be an iteration, which ends with it. */
export function expiring({ delegates, reviewed }: { delegates: boolean; reviewed: boolean }) {
  const bails = delegates ? [{ guard: 'isBailing' as const, target: '#bailing' }] : []
  const over = (ending: readonly (typeof iterationEnds)[]) =>
    loopSetup.createStateConfig({
      always: [
        ...bails,
        {
          guard: 'hasOpenStep',
          target: '#exhausting',
          actions: ['moveToolState', 'recordStep', 'announceStepFinish', ...ending],
        },
        { guard: 'noLiveChildren', target: '#exhausting', actions: [...ending] },
      ],
    })
  return loopSetup.createStateConfig({
    id: 'expiring',
    description: 'The time of the run is up: whoever owes an outcome was told, and is waited for.',
    entry: [...expiresAll, 'settleUnstarted'],
    initial: 'betweenIterations',
    on: { ...unmoved, ...(delegates ? onLastReports() : onReports()) },
    states: {
      betweenIterations: over([]),
      ...(reviewed ? { inIteration: { id: 'expiringIteration', ...over([iterationEnds]) } } : {}),
    },
  })
}

/** Ends a state in which an iteration is open. */
export const spentInIteration = { 'budget.spent': '#expiringIteration' } as const

/** Ends a state in which nothing may follow, not even a last word. */
export const spentForGood = {
  'budget.spent': { target: '#finishing', actions: ['abortEffects', spentEnding, announceSpent] },
} as const
