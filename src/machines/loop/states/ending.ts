/** How a loop ends: `exhausting`, `finalTurn`, `finishing` and the finals. */
import type { SignedReply } from '../../../actors/messages/provider-data.ts'
import { Derived } from '../../../actors/values/derived.ts'
import { withoutNested } from '../../contract/nested-results.ts'
import type { AgentOutcome } from '../../contract/agent.ts'
import { fallingBack, fallsBack, refusalFallsBack } from '../../shared/falling-back.ts'
import { failure, output } from '../../shared/params.ts'
import { arrow, optionalArrow } from '../../shared/arrow.ts'
import { agentOutput, type LoopContext, type InContext } from '../changes/context.ts'
import { loopSetup } from '../setup.ts'
import { tooLateForSayings } from '../sayings.ts'
import { compacting, refusedForLength, sizing } from './compacting.ts'
import { announceFailure, modelFailed } from './failing.ts'
import { drafted, processing, modelInput } from './processing.ts'
import { saving } from './saving.ts'
import { profileHook } from '../../shared/hook.ts'

interface ExhaustingTargets {
  /** The options allow no final turn. */
  readonly silent: string
  /** Calls are at work in the background: the final turn comes after their outcomes. */
  readonly waits?: string
  readonly speaks: string
}

export function exhausting(to: ExhaustingTargets) {
  return loopSetup.createStateConfig({
    description: 'A cap is reached. Is a final turn of the model allowed?',
    always: [
      arrow('stopsWhenExhausted', to.silent),
      ...optionalArrow('hasBackground', to.waits),
      { target: `#${to.speaks}`, actions: 'askForFinalAnswer' },
    ],
  })
}

const recordFinalTurn = [{ type: 'recordFinalTurn', params: output<SignedReply> }, 'announceAnswer'] as const
const unanswered = {
  type: 'end',
  params: {
    outcome: 'failed',
    error: {
      name: 'NoAnswerError',
      code: 'NO_ANSWER',
      message: 'The work was scored complete, and the model gave no answer to it.',
    },
  },
} as const

/** Goes back to `finishing` with the result announced. */
export const speaking = {
  description: 'The result of another agent becomes a message of this one.',
  entry: 'speakResult',
  always: '#finishing',
} as const

interface FinalTurnTargets {
  readonly ended: string
  /** The work was scored complete, and the final turn gives no answer either. */
  readonly unanswered?: string
  /** The state in which messages of people are checked, for a pattern that takes them. */
  readonly screening?: object
  /** The state in which the conversation is edited. */
  readonly editing?: object
}

export function finalTurn(to: FinalTurnTargets) {
  const ended = `#${to.ended}` as const
  const accepted = to.unanswered === undefined ? to.ended : 'finalTurn.accepted'
  const spoken = `#${accepted}` as const
  return loopSetup.createStateConfig({
    id: 'finalTurn',
    description:
      'Exactly one answer with tools switched off: not repaired, not tried again, not counted, not reviewed, not scored.',
    on: { 'budget.spent': {}, ...tooLateForSayings },
    initial: 'sizing',
    states: {
      sizing: sizing('calling', to.screening, to.editing),
      ...(to.screening && { screening: to.screening }),
      ...(to.editing && { editing: to.editing }),
      compacting: compacting({ fits: 'finalTurn.calling' }),
      calling: {
        description: 'The model is called, without tools.',
        invoke: {
          src: 'model',
          id: 'model',
          input: ({ context }: InContext) =>
            modelInput(context, { tools: 'none', toolChoice: 'none' as const, finalTurn: true as const }),
          onDone: [refusalFallsBack, drafted, { target: spoken, actions: recordFinalTurn }],
          onError: [
            refusedForLength,
            fallsBack,
            { guard: { type: 'isFinalTurnFatal', params: failure }, target: ended, actions: modelFailed },
            { target: ended, actions: ['recordNoFinalTurn', announceFailure] },
          ],
        },
      },
      fallingBack: fallingBack('calling'),
      // A refusal is final.
      processing: processing({ accepted, ended: to.ended }, ['acceptLastWord', 'announceAnswer']),
      ...(to.unanswered !== undefined && {
        accepted: {
          description: 'Is there an answer at last?',
          always: [...optionalArrow('lacksAnswer', to.unanswered, unanswered), { target: ended }],
        },
      }),
    },
  })
}

interface Finishing<Dismissing, Speaking, Keeping> {
  /** The finals for these outcomes have the same names. Every other outcome ends in the last one. */
  readonly ends: readonly [...AgentOutcome[], 'failed']
  /** The state in which calls in the background are asked to end. */
  readonly dismissing?: Dismissing
  /** The conversation was handed off, and a cancel comes before the handoff is announced. */
  readonly cancelled?: string
  /** As `cancelled`: the time of the run is up. */
  readonly outOfTime?: string
  /** The state in which the result of another agent becomes a message of this one. */
  readonly speaking?: Speaking
  /** The state in which the text so far of a cut answer is asked for, for a pattern whose model answers. */
  readonly keeping?: Keeping
}

const isHandedOff = { type: 'endsAs', params: { outcome: 'handedOff' } } as const

export function finishing<
  const Dismissing extends object,
  const Speaking extends object,
  const Keeping extends object,
>(to: Finishing<Dismissing, Speaking, Keeping>) {
  return loopSetup.createStateConfig({
    description: 'The outcome is settled. The exchange is saved, and onFinish is called.',
    on: { 'budget.spent': {}, ...tooLateForSayings },
    initial: 'choosing',
    states: {
      choosing: {
        description:
          'Is there background work to end, a result to announce, a cut answer to keep, or an exchange to save?',
        always: [
          ...optionalArrow('hasBackground', to.dismissing && 'finishing.dismissing'),
          ...optionalArrow('hasUnspokenAnswer', to.speaking && 'finishing.speaking'),
          ...optionalArrow('mayHavePartial', to.keeping && 'finishing.keeping'),
          { guard: 'hasExchange', target: 'saving' },
          { target: 'saved' },
        ],
      },
      ...(to.dismissing && { dismissing: to.dismissing }),
      ...(to.speaking && { speaking: to.speaking }),
      ...(to.keeping && { keeping: to.keeping }),
      saving,
      saved: {
        description: 'Is there a hook that observes the outcome?',
        always: [{ guard: 'callsFinishHook', target: 'notifying' }, { target: 'settling' }],
      },
      notifying: {
        description: 'onFinish observes: an exception is announced and changes nothing.',
        invoke: {
          ...profileHook('onFinish', finishData),
          onDone: 'settling',
          onError: { target: 'settling', actions: announceFailure },
        },
        on: {
          // A cancel changes no outcome that is settled; but after it no agent goes on with a conversation.
          cancel: [
            ...optionalArrow(isHandedOff, to.cancelled),
            { target: 'settling', actions: 'abortEffects' },
          ],
          ...(to.outOfTime !== undefined && { 'budget.spent': arrow(isHandedOff, to.outOfTime) }),
        },
      },
      settling: {
        description: 'The outcome names the final state.',
        always: [
          ...to.ends
            .filter((outcome) => outcome !== 'failed')
            .map((outcome) => arrow({ type: 'endsAs', params: { outcome } } as const, outcome)),
          { target: '#failed' },
        ],
      },
    },
  })
}

/**
 * The steps are passed on as an append log, which is hashed only at its end. The messages for a successor and the work of
 * subagents are left out.
 */
function finishData(context: LoopContext): Record<string, unknown> {
  const output = agentOutput(context)
  const { steps: _steps, handoff: _handoff, ...data } = output as object as Record<string, unknown>
  const { steps } = context.ledger
  return { ...data, delegations: output.delegations.map(withoutNested), steps, loop: new Derived(context) }
}

export function final() {
  return {
    type: 'final',
    output: ({ context }: { context: LoopContext }) => agentOutput(context),
  } as const
}
