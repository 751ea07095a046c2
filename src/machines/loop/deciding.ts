/** `deciding`: is this the answer, may another step follow, and if not, how does the run end? */
import { failure } from '../params.ts'
import type { Ending } from './context.ts'
import { loopSetup } from './setup.ts'

/** With `reviewed` the decision also rests on a scoring, and is announced as the end of an iteration. */
export function deciding({ reviewed }: { reviewed: boolean }) {
  const iterationEnds = (goesOn: boolean) =>
    reviewed ? [{ type: 'announceIterationEnd' as const, params: { continue: goesOn } }] : []
  const end = (ending: Ending) => [{ type: 'end' as const, params: ending }, ...iterationEnds(false)]

  const scored = loopSetup.createStateConfig({
    always: [
      { guard: 'isScoredComplete', target: '#finishing', actions: end({ outcome: 'completed' }) },
      {
        guard: 'isScoredWithoutAnswer',
        target: '#finalTurn',
        actions: ['askForFinalAnswer', ...end({ outcome: 'completed' })],
      },
      {
        guard: 'isUnmetForGood',
        target: '#exhausting',
        actions: end({ outcome: 'exhausted', reason: 'completion' }),
      },
    ],
  }).always
  /** An answer is not the end while delegations are at work in the background, or unheard of. */
  const unfinished = loopSetup.createStateConfig({
    always: [
      {
        guard: 'isAcceptedWithNewsAtCap',
        target: '#exhausting',
        actions: end({ outcome: 'exhausted', reason: 'maxSteps' }),
      },
      { guard: 'isAcceptedWithNews', target: '#thinking', actions: iterationEnds(true) },
      { guard: 'isAcceptedTooEarly', target: '#waiting', actions: iterationEnds(true) },
    ],
  }).always
  const unmetAtCap = loopSetup.createStateConfig({
    always: [
      {
        guard: 'isUnmetAtCap',
        target: '#exhausting',
        actions: end({ outcome: 'exhausted', reason: 'completion' }),
      },
    ],
  }).always
  const unmet = loopSetup.createStateConfig({
    always: [
      {
        guard: 'tellsUnmet',
        target: '#thinking',
        actions: ['addScoringFeedback', 'announceScoringFeedback', ...iterationEnds(true)],
      },
    ],
  }).always

  /** May another step follow, and what is the model told first? */
  const continuations = loopSetup.createStateConfig({
    always: [
      ...(reviewed ? unfinished : []),
      {
        guard: 'wasCutOff',
        target: '#exhausting',
        actions: end({ outcome: 'exhausted', reason: 'length' }),
      },
      ...(reviewed ? unmetAtCap : []),
      {
        guard: 'isRepeatingItself',
        target: '#exhausting',
        actions: end({ outcome: 'exhausted', reason: 'loop' }),
      },
      {
        guard: 'isAtCap',
        target: '#exhausting',
        actions: end({ outcome: 'exhausted', reason: 'maxSteps' }),
      },
      ...(reviewed ? unmet : []),
      { guard: 'wasEmpty', target: '#thinking', actions: ['askForAnswer', ...iterationEnds(true)] },
      { target: '#thinking', actions: iterationEnds(true) },
    ],
  }).always

  return loopSetup.createStateConfig({
    id: 'deciding',
    initial: 'judging',
    states: {
      judging: {
        description: 'Is there an answer, and is it accepted?',
        always: [
          ...(reviewed ? scored : []),
          { guard: 'isAnswered', target: '#finishing', actions: end({ outcome: 'completed' }) },
          { guard: 'hasStopCondition', target: 'askingStopWhen' },
          ...continuations,
        ],
      },
      askingStopWhen: {
        description:
          'Nothing lifts a stop condition: it is asked wherever another model call would follow, a final turn included.',
        invoke: {
          src: 'hook',
          id: 'hook:stopWhen',
          input: ({ context }) => ({
            agent: context.input.profile.id,
            hook: 'stopWhen',
            scope: context.input.profile.hooks.stopWhen ?? 'agent',
            data: { text: context.reply?.text ?? '', stepCount: context.step, steps: context.ledger.steps },
          }),
          onDone: [
            {
              guard: { type: 'answeredYes', params: ({ event }) => ({ answer: event.output === true }) },
              target: '#finishing',
              actions: end({ outcome: 'stopped', reason: 'stopWhen' }),
            },
            { target: 'continuing' },
          ],
          onError: [
            {
              guard: 'ignoresHookErrors',
              target: 'continuing',
              actions: { type: 'announceError', params: failure },
            },
            {
              target: '#finishing',
              actions: [
                { type: 'end', params: ({ event }) => ({ outcome: 'failed', error: failure({ event }) }) },
                { type: 'announceError', params: failure },
                ...iterationEnds(false),
              ],
            },
          ],
        },
      },
      continuing: { always: continuations },
    },
  })
}
