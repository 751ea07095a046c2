/**
 * `synthesising` and `deciding`: the results of a round are looked at once. Where a round is left the model may ask for
 * other goals, quietly; otherwise it writes the answer, which streams.
 */
import { askingStopWhen } from '../loop/states/stopping.ts'
import { thinking } from '../loop/states/thinking.ts'
import { assessment } from './goals.ts'
import { onDecision } from './on-decision.ts'
import { fanOutSetup } from './setup.ts'

const atCap = {
  guard: 'isAtCap',
  target: '#exhausting',
  actions: { type: 'end', params: { outcome: 'exhausted', reason: 'maxSteps' } },
} as const

export const synthesising = /* @__PURE__ */ fanOutSetup.createStateConfig({
  id: 'synthesising',
  description: 'The results of the round are put together, with what is missing.',
  entry: 'announceSynthesisStart',
  initial: 'choosing',
  states: {
    choosing: {
      always: [atCap, { guard: 'hasRoundLeft', target: 'assessing' }, { target: 'answering' }],
    },
    assessing: {
      description: 'Are the results enough? A model that cannot tell is asked for the answer all the same.',
      entry: { type: 'startDecision', params: ({ context }) => assessment(context) },
      on: onDecision('assessed', { target: 'answering', ends: false }),
    },
    assessed: {
      always: [{ guard: 'wantsAnotherRound', target: '#deciding' }, { target: 'answering' }],
    },
    answering: { entry: 'askForSynthesis', always: '#thinking' },
    thinking: thinking({ reviewed: false, afterAnswer: '#deciding', withTools: false }),
  },
})

const continuations = /* @__PURE__ */ fanOutSetup.createStateConfig({
  always: [
    { guard: 'wantsAnotherRound', target: '#dispatching' },
    {
      guard: 'wasCutOff',
      target: '#exhausting',
      actions: { type: 'end', params: { outcome: 'exhausted', reason: 'length' } },
    },
    atCap,
    { target: '#thinking', actions: 'askForAnswer' },
  ],
}).always

export const deciding = /* @__PURE__ */ fanOutSetup.createStateConfig({
  id: 'deciding',
  description: 'Is there an answer, or are other goals to be worked on first, under a new correlation id?',
  initial: 'judging',
  states: {
    judging: {
      always: [
        {
          guard: 'isAnswered',
          target: '#finishing',
          actions: { type: 'end', params: { outcome: 'completed' } },
        },
        { guard: 'hasStopCondition', target: 'askingStopWhen' },
        ...continuations,
      ],
    },
    askingStopWhen: askingStopWhen({ reviewed: false }),
    continuing: { always: continuations },
  },
})
