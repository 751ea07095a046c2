/** Transitions of all states that wait for a user hook: the delegation may be ended early, and the hook may fail. */
import { failure } from '../shared/params.ts'
import { delegationSetup } from './setup.ts'

/** What a delegation announces before its end: its start, where its subagent has not begun. */
type Announced = readonly ['announceStart'] | readonly []

/** The states in which a delegation ends while a hook or a person is asked. */
export interface EarlyEnds {
  readonly timedOut: string
  readonly cancelled: string
  /** The time of the run is up. */
  readonly outOfTime: string
}

/** Ends the delegation early. No subagent is at work, so there is no report to wait for. */
export function letGo(to: EarlyEnds, announced: Announced = []) {
  return delegationSetup.createStateConfig({
    on: {
      timeout: {
        target: `#${to.timedOut}`,
        actions: [
          'abortEffects',
          { type: 'recordLimit', params: ({ event }) => event },
          'recordLapse',
          ...announced,
        ],
      },
      cancel: {
        target: `#${to.cancelled}`,
        actions: ['abortEffects', 'recordCancel', ...announced],
      },
      'budget.spent': {
        target: `#${to.outOfTime}`,
        actions: [
          'abortEffects',
          { type: 'recordShortfall', params: ({ event }) => event.error },
          ...announced,
        ],
      },
    },
  }).on
}

/** Goes on to `ignored` where hook errors are ignored. */
export function hookFails<const Ignored extends string, const Otherwise extends string>(
  targets: { ignored: Ignored; otherwise: Otherwise },
  announced: Announced = [],
) {
  return [
    {
      guard: 'ignoresHookErrors',
      target: targets.ignored,
      actions: [
        { type: 'recordHookError', params: failure },
        { type: 'announceHookError', params: failure },
      ],
    },
    { target: targets.otherwise, actions: [{ type: 'recordHookFailure', params: failure }, ...announced] },
  ] as const
}
