/** Transitions of all states that wait for a user hook: the delegation may be ended early, and the hook may fail. */
import { failure } from '../shared/params.ts'
import { delegationSetup } from './setup.ts'

/** Ends the delegation early. No subagent is at work, so there is no report to wait for. */
export const letGo = delegationSetup.createStateConfig({
  on: {
    timeout: {
      target: '#delegation.timedOut',
      actions: ['abortEffects', { type: 'recordLimit', params: ({ event }) => event }, 'recordLapse'],
    },
    cancel: { target: '#delegation.cancelled', actions: ['abortEffects', 'recordCancel'] },
    'budget.spent': {
      target: '#delegation.exhausted',
      actions: ['abortEffects', { type: 'recordShortfall', params: ({ event }) => event.error }],
    },
  },
}).on

/** Goes on to `ignored` where hook errors are ignored. */
export function hookFails<const Ignored extends string, const Otherwise extends string>(targets: {
  ignored: Ignored
  otherwise: Otherwise
}) {
  return [
    {
      guard: 'ignoresHookErrors',
      target: targets.ignored,
      actions: [
        { type: 'recordHookError', params: failure },
        { type: 'announceHookError', params: failure },
      ],
    },
    { target: targets.otherwise, actions: { type: 'recordHookFailure', params: failure } },
  ] as const
}
