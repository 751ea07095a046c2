/** How a loop ends: `exhausting`, `finalTurn`, `cancelling`, `finishing` and the finals. */
import type { ModelReply } from '../../../actors/chat-model.ts'
import type { ErrorData } from '../../../errors.ts'
import type { Outcome, AgentOutcome } from '../../contract/agent.ts'
import { failure, output } from '../../shared/params.ts'
import { unknownUsage } from '../../contract/spent.ts'
import { onLastReports, onReports } from './acting.ts'
import { agentOutput, type LoopContext } from '../changes/context.ts'
import { unmoved } from './expiring.ts'
import { drafted, processing, speaking } from './processing.ts'
import { saving } from './saving.ts'
import { loopSetup } from '../setup.ts'

/** With `delegates` there may be something at work in the background, whose outcome the last word should know. */
export const exhausting = (delegates: boolean) =>
  loopSetup.createStateConfig({
    id: 'exhausting',
    description: 'A cap is reached. May the model have a last word?',
    always: [
      { guard: 'stopsWhenExhausted', target: '#finishing' },
      ...(delegates ? [{ guard: 'hasBackground' as const, target: '#waiting' }] : []),
      { target: '#finalTurn', actions: 'askForFinalAnswer' },
    ],
  })

const unanswered: ErrorData = {
  name: 'NoAnswerError',
  code: 'NO_ANSWER',
  message: 'The work was scored complete, and the model gave no answer to it.',
}

/** `finalTurn`. After a scoring it may have been asked for the answer that a completed run still lacks. */
export function finalTurn({ reviewed }: { reviewed: boolean }) {
  const withoutAnswer = {
    guard: 'hasNoAnswer' as const,
    target: '#finishing',
    actions: [
      {
        type: 'end' as const,
        params: ({ event }: { event: { readonly error: unknown } }) => ({
          outcome: 'failed' as const,
          error: failure({ event }),
        }),
      },
      { type: 'announceError' as const, params: failure },
    ],
  }
  const withoutUsableAnswer = {
    guard: { type: 'stillHasNoAnswer' as const, params: output<ModelReply> },
    target: '#finishing',
    actions: [
      { type: 'recordFinalTurn' as const, params: output<ModelReply> },
      'announceMessage' as const,
      { type: 'end' as const, params: { outcome: 'failed' as const, error: unanswered } },
    ],
  }
  const withoutAcceptedAnswer = {
    guard: 'draftIsNoAnswer' as const,
    target: '#finishing',
    actions: [
      'acceptLastWord' as const,
      'announceMessage' as const,
      { type: 'end' as const, params: { outcome: 'failed' as const, error: unanswered } },
    ],
  }
  return loopSetup.createStateConfig({
    id: 'finalTurn',
    description:
      'Exactly one model call with tools switched off: not repaired, not counted, not reviewed, not scored.',
    entry: reviewed ? ['hearNews', 'beginDraft'] : 'beginDraft',
    on: unmoved,
    initial: 'calling',
    states: {
      calling: {
        invoke: {
          src: 'model',
          id: 'model',
          input: ({ context }) =>
            speaking(context, { tools: 'none', toolChoice: 'none' as const, finalTurn: true as const }),
          onDone: [
            drafted,
            ...(reviewed ? [withoutUsableAnswer] : []),
            {
              target: '#finishing',
              actions: [{ type: 'recordFinalTurn', params: output }, 'announceMessage'],
            },
          ],
          onError: [
            {
              guard: { type: 'lacksUsage', params: failure },
              target: '#finishing',
              actions: [
                { type: 'end', params: ({ event }) => unknownUsage(failure({ event })) },
                { type: 'announceError', params: failure },
              ],
            },
            ...(reviewed ? [withoutAnswer] : []),
            {
              target: '#finishing',
              actions: ['recordNoFinalTurn', { type: 'announceError', params: failure }],
            },
          ],
        },
      },
      processing: processing({
        mayAskAgain: [], // exactly one call: a refusal is the end
        accepted: [
          ...(reviewed ? [withoutAcceptedAnswer] : []),
          { target: '#finishing', actions: ['acceptLastWord', 'announceMessage'] },
        ],
        ending: [],
      }),
    },
  })
}

export const cancelling = /* @__PURE__ */ loopSetup.createStateConfig({
  description: 'Whoever owes an outcome was told to cancel, and is waited for.',
  id: 'cancelling',
  entry: [
    'abortEffects',
    {
      type: 'announceAbort',
      params: ({ event }) =>
        event.type === 'cancel' && event.reason !== undefined ? { reason: event.reason } : {},
    },
    {
      type: 'end',
      params: ({ event }) => ({
        outcome: 'cancelled',
        ...(event.type === 'cancel' && event.reason !== undefined ? { reason: event.reason } : {}),
      }),
    },
    {
      type: 'cancelChildren',
      params: ({ event }) => (event.type === 'cancel' ? event : { cause: 'cancel' }),
    },
  ],
  always: { guard: 'noLiveChildren', target: '#finishing' },
  on: { cancel: {}, ...unmoved, ...onReports() },
})

/** `cancelling` where delegations may be at work that no step waits for. */
export const cancellingInBackground = loopSetup.createStateConfig({
  ...cancelling,
  on: { cancel: {}, ...unmoved, ...onLastReports() },
})

/** `finishing`, for a machine with these outcomes besides `failed`. One that `speaks` may end with another's words. */
export function finishing(
  outcomes: readonly AgentOutcome[],
  { delegates, speaks = false }: { delegates: boolean; speaks?: boolean },
) {
  const ends = [
    ...outcomes.map((outcome) => ({
      guard: { type: 'endsAs' as const, params: { outcome } },
      target: `#${outcome}`,
    })),
    { target: '#failed' },
  ]
  // A cancel changes no outcome that is settled; but after it nobody goes on with a conversation.
  const staysHere = outcomes.includes('handedOff')
    ? [
        {
          guard: { type: 'endsAs' as const, params: { outcome: 'handedOff' as const } },
          target: '#cancelling',
        },
      ]
    : []
  return loopSetup.createStateConfig({
    id: 'finishing',
    description: 'The outcome is settled; the user is told before the run ends.',
    on: {
      'budget.spent': outcomes.includes('handedOff')
        ? [
            {
              guard: { type: 'endsAs' as const, params: { outcome: 'handedOff' as const } },
              target: '#expiring',
            },
            {},
          ]
        : {},
    },
    initial: 'choosing',
    states: {
      choosing: {
        always: [
          ...(delegates ? [{ guard: 'hasBackground' as const, target: '#dismissing' }] : []),
          ...(speaks
            ? [{ guard: 'hasUnspokenAnswer' as const, target: 'choosing', actions: 'speakResult' as const }]
            : []),
          { guard: 'hasExchange', target: 'saving' },
          { guard: 'hasFinishHook', target: 'notifying' },
          { target: 'settling' },
        ],
      },
      saving,
      notifying: {
        description: 'onFinish observes: what it throws is announced and changes nothing.',
        invoke: {
          src: 'hook',
          id: 'hook:onFinish',
          input: ({ context }) => ({
            agent: context.input.profile.id,
            hook: 'onFinish',
            scope: context.input.profile.hooks.onFinish ?? 'agent',
            timeout: context.input.profile.hookTimeout,
            data: finishData(context),
          }),
          onDone: 'settling',
          onError: { target: 'settling', actions: { type: 'announceError', params: failure } },
        },
        on: { cancel: [...staysHere, { target: 'settling', actions: 'abortEffects' }] },
      },
      settling: {
        description: 'The exchange is kept and the user told; after a cancel neither happens.',
        always: ends,
      },
    },
  })
}

/** The steps are handed over as a list that is only hashed at its end; what a successor is given is not the user's. */
function finishData(context: LoopContext): Record<string, unknown> {
  const output: object = agentOutput(context)
  const { steps: _steps, handoff: _handoff, ...told } = output as Record<string, unknown>
  return { ...told, steps: context.ledger.steps }
}

export function final(outcome: Outcome) {
  return {
    id: outcome,
    type: 'final',
    output: ({ context }: { context: LoopContext }) => agentOutput(context),
  } as const
}
