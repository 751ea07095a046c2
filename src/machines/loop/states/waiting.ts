/** `waiting` and `dismissing`: a run ends when nothing is at work in the background any more. */
import { onHeld, reportedInBackground } from './acting.ts'
import { crashTakenDownInBackground, takenDownInBackground } from '../child-events.ts'
import { unmoved } from './expiring.ts'
import { loopSetup } from '../setup.ts'

const reports = reportedInBackground('.rousing')

export const waiting = /* @__PURE__ */ loopSetup.createStateConfig({
  id: 'waiting',
  description:
    'There is an answer, or a cap is reached, and delegations are still at work in the background.',
  initial: 'watching',
  on: {
    ...reports,
    ...onHeld('.watching', { delegates: true }),
  },
  states: {
    watching: { always: { guard: 'onlyHeldLeft', target: 'held' } },
    held: {
      description: 'Only delegations that wait for a person are left.',
      entry: 'announceHeld',
      exit: 'announceReleased',
    },
    rousing: {
      description: 'One has ended. May the model hear of it now, or at the very end?',
      always: [
        { guard: 'isAtEndWithBackground', target: 'watching' },
        { guard: { type: 'endsAs', params: { outcome: 'exhausted' } }, target: '#exhausting' },
        {
          guard: 'isAtCap',
          target: '#exhausting',
          actions: { type: 'end', params: { outcome: 'exhausted', reason: 'maxSteps' } },
        },
        { target: '#thinking' },
      ],
    },
  },
})

export const dismissing = /* @__PURE__ */ loopSetup.createStateConfig({
  id: 'dismissing',
  description: 'The run ends without those at work in the background: they are told, and report first.',
  entry: { type: 'cancelChildren', params: { cause: 'cancel', reason: 'The supervisor has ended.' } },
  always: { guard: 'noLiveChildren', target: '#finishing' },
  on: {
    ...unmoved,
    'xstate.done.actor.*': { actions: [...takenDownInBackground] },
    'xstate.error.actor.*': { actions: [...crashTakenDownInBackground] },
  },
})
