/** `waiting`: an agent does not end while calls are at work in the background. */
import { arrow } from '../../shared/arrow.ts'
import { loopSetup } from '../setup.ts'
import { screens } from './screening.ts'
import { held } from './batch.ts'

interface Targets {
  /** A call has ended, or a person has spoken, and the model may read of it. */
  readonly notices: string
  /** All calls have ended, and no other step may follow. */
  readonly atEnd: string
  /** The state in which messages of people are checked: one that is refused does not rouse the model. */
  readonly screening: object
}

export function waiting(to: Targets) {
  return loopSetup.createStateConfig({
    description: 'There is an answer, or a cap is reached, and calls are still at work in the background.',
    initial: 'working',
    states: {
      working: {
        always: [
          arrow('isBackgroundDoneAtEnd', to.atEnd, 'exhaust'),
          ...screens(to.screening),
          arrow('mayReadNotices', to.notices),
          { guard: 'onlyHeldLeft', target: 'held' },
        ],
      },
      held: {
        ...held,
        description: 'Only children that wait for signals are left. A message of a person rouses the model.',
        always: [...screens(to.screening), arrow('mayReadNotices', to.notices), held.always],
      },
      screening: to.screening,
    },
  })
}
