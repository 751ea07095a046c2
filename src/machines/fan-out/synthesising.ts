/**
 * `synthesising` and `deciding`: the results of a round are looked at once. Where a round is left the model may ask for
 * other goals, quietly; otherwise it writes the answer, which streams.
 */
import { failure } from '../params.ts'
import { thinking } from '../loop/thinking.ts'
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
    askingStopWhen: {
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
            actions: { type: 'end', params: { outcome: 'stopped', reason: 'stopWhen' } },
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
            ],
          },
        ],
      },
    },
    continuing: { always: continuations },
  },
})
