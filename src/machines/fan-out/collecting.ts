/**
 * `collecting`: the children of a round, side by side within the window, under one deadline from their dispatch. A
 * failure and a timeout are completions too; when each child has a completion, the round is closed.
 */
import { arrow } from '../shared/arrow.ts'
import { holds, recordHeld } from '../loop/child-events.ts'
import { batch } from '../loop/states/batch.ts'
import { goalTimeoutOf } from './round.ts'
import { fanOutSetup, roundTimer } from './setup.ts'

interface Targets {
  readonly settled: string
  readonly bailed: string
}

const isLastHeld = {
  type: 'isLastHeld',
  params: ({ event }: { readonly event: { readonly child: string } }) => ({ child: event.child }),
} as const

export function collecting(to: Targets) {
  const working = batch(to)
  return fanOutSetup.createStateConfig({
    description: 'The children of the round work side by side within the window. One deadline holds for all.',
    invoke: {
      src: 'timer',
      id: roundTimer,
      input: ({ context }) => ({ delay: goalTimeoutOf(context) }),
      onDone: '.timingOut',
    },
    on: {
      'child.held': { actions: [recordHeld, 'pauseRound'] },
      // For others the root records the release.
      'child.released': { guard: isLastHeld, actions: [recordHeld, 'unpauseRound'] },
    },
    ...working,
    states: {
      ...working.states,
      timingOut: {
        description:
          'The time is up. Children at work are asked to end, and report first; no other is started.',
        entry: ['timeOutQueued', 'timeOutLive'],
        always: [arrow('isBailing', to.bailed), arrow('allSettled', to.settled, 'closeStep')],
        on: holds,
      },
    },
  })
}
