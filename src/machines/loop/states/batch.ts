/**
 * `batch`: the calls of one step, side by side within the window. A call that is held gives up its place; when only
 * held calls are left, the agent itself is held. Reports are recorded at the root of the chart.
 */
import { arrow, optionalArrow } from '../../shared/arrow.ts'
import { loopSetup } from '../setup.ts'

interface Targets {
  /** A report has come in that the pattern settles first. */
  readonly reported?: string
  /** All calls have their outcomes. */
  readonly settled: string
  /** A call among those of the step hands the conversation to another agent. */
  readonly handsOff?: string
  /** A delegation has bailed. */
  readonly bailed?: string
}

export function batch(to: Targets) {
  return loopSetup.createStateConfig({
    initial: 'working',
    states: {
      working: {
        description: 'Calls are at work, and others begin as places become free.',
        always: [
          ...optionalArrow('hasReport', to.reported),
          ...optionalArrow('isBailing', to.bailed),
          ...optionalArrow('settlesAndHandsOff', to.handsOff, 'closeStep'),
          arrow('allSettled', to.settled, 'closeStep'),
          { guard: 'hasPlace', actions: ['startCalls', 'startInBackground'] },
          { guard: 'onlyHeldLeft', target: 'held' },
        ],
      },
      held,
    },
  })
}

/** Only children that wait for signals are left. Goes back to `working`. */
export const held = /* @__PURE__ */ loopSetup.createStateConfig({
  description: 'Only children that wait for signals are left.',
  entry: 'announceHeld',
  exit: 'announceReleased',
  always: { guard: 'isAtWork', target: 'working' },
})
