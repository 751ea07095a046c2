/**
 * `executing`: steps begin as soon as the results that they need are available, side by side within the window. Where
 * the plan does not name the call of a step, the model chooses it; where the user asks for it, the model reviews the
 * result.
 */
import { arrow } from '../shared/arrow.ts'
import { batch } from '../loop/states/batch.ts'
import { outOfTime } from '../loop/states/closing.ts'
import { settling } from './settling.ts'
import { planSetup } from './setup.ts'

interface ExecutingTargets {
  /** No step is under way, and none may begin. */
  readonly settled: string
  readonly bailed: string
}

export function executing(to: ExecutingTargets) {
  const working = batch({ reported: 'executing.settling', settled: to.settled })
  return planSetup.createStateConfig({
    description:
      'The steps of the plan are carried out. Once one has failed or changed the plan, no other begins.',
    ...working,
    states: {
      ...working.states,
      settling: settling({ settled: 'executing', bailed: to.bailed }),
    },
  })
}

interface ExpiringTargets {
  /** The results of the steps count. */
  readonly closed: string
  readonly bailed: string
}

export function expiring(to: ExpiringTargets) {
  const closed = `#${to.closed}` as const
  return planSetup.createStateConfig({
    description:
      'The time of the run is up. Steps at work are asked to end, and report first; no other begins.',
    entry: [...outOfTime, 'expireChildren'],
    on: { 'budget.spent': {} },
    initial: 'closing',
    states: {
      closing: {
        always: [
          arrow('hasReport', 'expiring.settling'),
          {
            guard: 'noLiveChildren',
            target: closed,
            actions: ['closeOpenStep', 'concludePlan'],
          },
        ],
      },
      settling: settling({ settled: 'expiring.closing', bailed: to.bailed }),
    },
  })
}
