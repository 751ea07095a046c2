/** `deciding`: is this the answer, may another step follow, and if not, how does the run end? */
import type { Ending } from '../changes/context.ts'
import { loopSetup } from '../setup.ts'
import { askingStopWhen } from './stopping.ts'

interface Options<Next extends string> {
  /** The decision also rests on a scoring, and is announced as the end of an iteration. */
  readonly reviewed: boolean
  /** Default: `true`. Without tools a reply that is no answer is cut off, or empty. */
  readonly withTools?: boolean
  /** There may be delegations at work that no step waits for. Default: as `reviewed`. */
  readonly inBackground?: boolean
  /** Where another step begins. Default: `#thinking`. */
  readonly next?: Next
  /** What caps the steps, by the name of the option. Default: `maxSteps`. */
  readonly cap?: 'maxSteps' | 'maxIterations'
}

export function deciding<const Next extends string = '#thinking'>(options: Options<Next>) {
  const { reviewed, withTools = true, inBackground = reviewed, cap = 'maxSteps' } = options
  const next = options.next ?? '#thinking'
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
      { guard: 'isAcceptedWithNews', target: next, actions: iterationEnds(true) },
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
        target: next,
        actions: ['addScoringFeedback', 'announceScoringFeedback', ...iterationEnds(true)],
      },
    ],
  }).always

  const repeating = loopSetup.createStateConfig({
    always: [
      {
        guard: 'isRepeatingItself',
        target: '#exhausting',
        actions: end({ outcome: 'exhausted', reason: 'loop' }),
      },
    ],
  }).always
  const emptyHanded = { target: next, actions: ['askForAnswer' as const, ...iterationEnds(true)] }

  const continuations = loopSetup.createStateConfig({
    always: [
      ...(inBackground ? unfinished : []),
      {
        guard: 'wasCutOff',
        target: '#exhausting',
        actions: end({ outcome: 'exhausted', reason: 'length' }),
      },
      ...(reviewed ? unmetAtCap : []),
      ...(withTools ? repeating : []),
      {
        guard: 'isAtCap',
        target: '#exhausting',
        actions: end({ outcome: 'exhausted', reason: cap }),
      },
      ...(reviewed ? unmet : []),
      ...(withTools
        ? [
            { ...emptyHanded, guard: 'wasEmpty' as const },
            { target: next, actions: iterationEnds(true) },
          ]
        : [emptyHanded]),
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
          { target: 'continuing' },
        ],
      },
      askingStopWhen: askingStopWhen({ reviewed }),
      continuing: {
        description: 'May another step follow, and what is the model told first?',
        always: continuations,
      },
    },
  })
}
