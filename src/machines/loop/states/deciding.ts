/** `deciding`: is this the answer, may another step follow, and how does the agent end otherwise? */
import { Derived } from '../../../actors/values/derived.ts'
import { always, arrow, optionalArrow } from '../../shared/arrow.ts'
import { loopSetup } from '../setup.ts'
import type { LoopContext } from '../changes/context.ts'
import { outOfTime } from './closing.ts'
import { screens } from './screening.ts'
import { announceFailure, endAndAnnounceFailure } from './failing.ts'
import { profileHook } from '../../shared/hook.ts'

interface Targets {
  /** There is an answer. */
  readonly completed: string
  /** The user's stop condition holds or failed, or the agent is out of time. */
  readonly stopped: string
  /** No other step may follow. */
  readonly exhausted: string
  /** There is an answer, and calls are at work in the background. */
  readonly waits?: string
  /** The pattern has other work to do first. */
  readonly otherWork?: string
  /** Another step follows. The model is told what is missing: the scorers' feedback, or an answer. */
  readonly again?: string
  /** As `again`, of a model that can only answer: it is asked for the answer. */
  readonly unanswered?: string
  /** The state in which messages of people are checked, for a pattern that takes them: one that is refused asks nothing. */
  readonly screening?: object
}

export function deciding(to: Targets) {
  return loopSetup.createStateConfig({
    description: 'Is this the answer, or may another step follow?',
    initial: 'judging',
    states: {
      judging: {
        description: 'Is there an answer, and is it accepted?',
        always: [
          ...screens(to.screening),
          arrow('isAnswered', to.completed, { type: 'end', params: { outcome: 'completed' } } as const),
          { guard: 'hasStopCondition', target: 'askingStopWhen' },
          { target: 'continuing' },
        ],
      },
      ...(to.screening && { screening: to.screening }),
      askingStopWhen: askingStopWhen({ goesOn: 'continuing', stopped: to.stopped }),
      continuing: {
        description: 'May another step follow?',
        always: [
          ...optionalArrow('hasOtherWork', to.otherWork),
          arrow('isAtLimit', to.exhausted, 'exhaust'),
          ...optionalArrow('waitsForBackground', to.waits),
          ...always(to.again, 'explainNextStep'),
          ...always(to.unanswered, 'askForAnswer'),
        ],
      },
    },
  })
}

const answer = ({ event }: { readonly event: { readonly output: unknown } }) => ({
  answer: event.output === true,
})

/** Within `deciding`: goes on to the sibling `to.goesOn`; `to.stopped` is the id of a state. */
function askingStopWhen(to: { readonly goesOn: string; readonly stopped: string }) {
  const stopped = `#${to.stopped}` as const
  return loopSetup.createStateConfig({
    description:
      'May another model call follow? If the time of the run is up, the agent ends here, without a final turn.',
    on: { 'budget.spent': { target: stopped, actions: outOfTime } },
    invoke: {
      ...profileHook('stopWhen', (context: LoopContext) => ({
        text: context.reply?.text ?? '',
        stepCount: context.step,
        steps: context.ledger.steps,
        loop: new Derived(context),
      })),
      onDone: [
        arrow({ type: 'answeredYes', params: answer } as const, to.stopped, {
          type: 'end',
          params: { outcome: 'stopped', reason: 'stopWhen' },
        } as const),
        { target: to.goesOn },
      ],
      onError: [
        { guard: 'ignoresHookErrors', target: to.goesOn, actions: announceFailure },
        { target: stopped, actions: endAndAnnounceFailure },
      ],
    },
  })
}
