/** `thinking`: one model call with its retries, and the kind of its reply. */
import type { ModelReply } from '../../../actors/chat-model.ts'
import { refusalIn } from '../../../actors/models/fallbacks.ts'
import { scopeOf, type Toolset } from '../../../actors/toolset/toolset.ts'
import { holdsFiles } from '../../contract/conversation.ts'
import { backingOff, retries } from '../../shared/backing-off.ts'
import { fallingBack, fallsBack, refusalFallsBack } from '../../shared/falling-back.ts'
import { failure, output } from '../../shared/params.ts'
import { arrow, optionalArrow } from '../../shared/arrow.ts'
import type { Ending, LoopContext } from '../changes/context.ts'
import type { InContext } from '../changes/context.ts'
import { callMissing, toolChoiceOf } from '../tool-choice.ts'
import { loopSetup } from '../setup.ts'
import { checkingObject } from './checking-object.ts'
import { compacting, refusedForLength, sizing } from './compacting.ts'
import { modelFailed, outOfBudget } from './failing.ts'
import { notifying } from './notifying.ts'
import { drafted, processing, modelInput } from './processing.ts'

interface Recorded {
  readonly context: LoopContext
}

const failedUncalled = { type: 'end', params: { outcome: 'failed', error: callMissing } } as const

const recorded = ({ context }: Recorded) => context.reply as ModelReply

interface Targets {
  /** An answer. */
  readonly answered: string
  /** Tool calls. Where it is not named, no tools are offered. */
  readonly calls?: string
  /** The budget is used up. */
  readonly overBudget: string
  /** The time of the run is up. */
  readonly outOfTime: string
  /** The model refused, or failed for good. */
  readonly ended: string
  /** The state in which messages of people are checked, for a pattern that takes them. */
  readonly screening?: object
  /** The state in which the conversation is edited, for a pattern whose conversation has results of calls. */
  readonly editing?: object
}

/** The state in which the model is called: it answers, or it calls tools and agents. `id`: its name in the chart. */
export function thinking(to: Targets, id = 'thinking') {
  const ended = `#${to.ended}` as const
  const announce = to.calls === undefined ? 'announceAnswer' : 'announceMessage'
  const recordReply = [{ type: 'recordReply', params: output<ModelReply> }, announce] as const
  /** A reply that is under way, or not yet accepted, does not count. */
  const spentMidway = { 'budget.spent': { target: `#${to.outOfTime}`, actions: 'dropReply' } } as const
  return loopSetup.createStateConfig({
    id,
    initial: 'sizing',
    states: {
      sizing: sizing('calling', to.screening, to.editing),
      ...(to.screening && { screening: to.screening }),
      ...(to.editing && { editing: to.editing }),
      compacting: compacting({ fits: `${id}.calling`, ended: to.ended }),
      calling: {
        description: 'The model is called.',
        on: spentMidway,
        invoke: {
          src: 'model',
          id: 'model',
          input: ({ context }: InContext) =>
            to.calls === undefined ? answering(context) : choosing(context),
          onDone: [refusalFallsBack, drafted, { target: 'replied', actions: recordReply }],
          onError: [
            arrow({ type: 'isOverBudget', params: failure } as const, to.overBudget, outOfBudget),
            refusedForLength,
            retries,
            fallsBack,
            { target: ended, actions: modelFailed },
          ],
        },
      },
      backingOff: {
        ...backingOff((context: LoopContext) => context.attempts, {
          target: 'calling',
          actions: 'beginDraft',
        }),
        on: spentMidway,
      },
      fallingBack: fallingBack('calling'),
      processing: {
        ...processing(
          {
            again: `${id}.calling`,
            accepted: `${id}.replied`,
            stepEnded: to.ended,
          },
          ['acceptDraft', announce],
        ),
        on: spentMidway,
      },
      replied: {
        description: 'Is there a hook that observes the reply?',
        always: [{ guard: 'hasStepHook', target: 'notifying' }, { target: 'interpreting' }],
      },
      notifying: notifying('interpreting'),
      interpreting: {
        description: 'Is the reply an answer, a list of calls, or a refusal?',
        always: [
          {
            guard: { type: 'isRefusal', params: recorded },
            target: ended,
            actions: ['closeStep', { type: 'end', params: ({ context }) => refusalEnding(context) }],
          },
          ...optionalArrow({ type: 'hasToolCalls', params: recorded } as const, to.calls),
          ...optionalArrow('mayAskForCall', to.calls && `${id}.calling`, 'askForCall'),
          ...optionalArrow('lacksCall', to.calls && to.ended, ['closeStep', failedUncalled] as const),
          { guard: { type: 'mustCheckObject', params: recorded }, target: 'checkingObject' },
          { target: `#${to.answered}`, actions: 'closeStep' },
        ],
      },
      checkingObject: checkingObject({ accepted: to.answered, again: `${id}.calling`, ended: to.ended }, [
        'closeStep',
      ]),
    },
  })
}

/** The model may answer, or call what its agent offers, as far as `toolChoice` leaves it the choice. */
function choosing(context: LoopContext) {
  const { profile } = context.input
  const toolChoice = toolChoiceOf(context)
  if (toolChoice === 'none') return answering(context)
  return modelInput(context, {
    tools: offeredIn(context).digest,
    toolChoice,
    ...scopeOf(profile),
    ...(profile.responseFormat && { responseFormat: profile.responseFormat }),
  })
}

/** A conversation with files has tools that hand them on. */
function offeredIn({ input, messages }: LoopContext): Toolset {
  const { toolset } = input.profile
  return holdsFiles(messages) ? toolset.withFiles : toolset
}

/** The model can only answer. */
function answering(context: LoopContext) {
  const { responseFormat } = context.input.profile
  return modelInput(context, {
    tools: 'none',
    toolChoice: 'none' as const,
    ...(responseFormat && { responseFormat }),
  })
}

/** The ending after a refusal of the model, or of the provider. */
function refusalEnding({ reply }: LoopContext): Ending {
  const { finishReason = 'refusal', text = '' } = reply ?? {}
  return { outcome: 'failed', error: refusalIn({ finishReason, text }) }
}
