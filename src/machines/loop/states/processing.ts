/**
 * `processing`: output processors check a reply before anything else is done with it. Those of streamed replies have
 * checked it when it is complete; then those of whole replies are called. The state `judging` decides each time what
 * follows.
 */
import type { EffectOutcome } from '../../../actors/effects/effect-kinds.ts'
import { withoutData } from '../../../actors/messages/provider-data.ts'
import { expected } from '../../../actors/toolset/toolset.ts'
import { answerOf, failure, output } from '../../shared/params.ts'
import { calledModel } from '../../contract/model-row.ts'
import { currentMessage } from '../changes/record.ts'
import type { InContext, LoopContext } from '../changes/context.ts'
import { keepsPartial } from '../changes/memory.ts'
import { modelLimits } from '../changes/decision-input.ts'
import { rejectedEnding, rejection, screenedReply } from '../changes/screening.ts'
import { optionalArrow } from '../../shared/arrow.ts'
import { loopSetup } from '../setup.ts'
import { profileHook } from '../../shared/hook.ts'

/** A call by which the model speaks. The order of the fields is part of its digest. */
export function modelInput<How extends object>(context: LoopContext, how: How) {
  const { profile } = context.input
  return {
    agent: profile.id,
    ...calledModel(profile, context.attempts.fallen),
    message: currentMessage(context),
    messages: context.messages,
    ...how,
    ...screenedBy(context),
    ...(keepsPartial(profile) ? { keepsPartial: true as const } : {}),
    ...expected(profile.toolset),
    ...modelLimits(profile),
    step: context.step,
  }
}

/** A reply that processors are still to check is a draft. */
export const drafted = {
  guard: 'hasOutputProcessor',
  target: 'processing',
  actions: { type: 'recordDraft', params: output<EffectOutcome<'model'>> },
} as const

interface Targets {
  /** The model may be called again. Where it is not named, a refusal is final. */
  readonly again?: string
  /** No processor objects. */
  readonly accepted: string
  /** A processor failed, or refused for good. */
  readonly ended?: string
  /** As `ended`, where the reply is part of a step: the step ends without the reply. */
  readonly stepEnded?: string
}

/** Goes on to `judging`, which decides what follows. */
export const processorFailed = {
  target: 'judging',
  actions: { type: 'recordProcessorFailure', params: failure },
} as const

const announceRejection = {
  type: 'announceError',
  params: ({ context }: InContext) => rejection(context),
} as const

const rejected = [
  'dropDraft',
  { type: 'end', params: ({ context }: InContext) => rejectedEnding(context) },
  announceRejection,
] as const

/** Processors of streamed replies work within the model call: text that they hold back is not even streamed. */
function screenedBy({ input: { profile } }: LoopContext) {
  const { processOutput } = profile.hooks
  return processOutput === undefined ? {} : { outputProcessors: processOutput }
}

/** The transitions after a processor failed or refused. The state `judging` checks again. */
export function verdicts(to: Pick<Targets, 'again' | 'ended' | 'stepEnded'>) {
  return loopSetup.createStateConfig({
    always: [
      {
        guard: 'ignoresProcessorError',
        target: 'judging',
        actions: [announceRejection, 'ignoreProcessorError'],
      },
      ...optionalArrow('mayAskAgain', to.again, ['announceRefusal', 'askAgain'] as const),
      ...optionalArrow('isRejected', to.ended, rejected),
      ...optionalArrow('isRejected', to.stepEnded, [...rejected, 'closeStep'] as const),
    ],
  }).always
}

type Accepted =
  | readonly ['acceptDraft', 'announceMessage' | 'announceAnswer']
  | readonly ['acceptLastWord', 'announceAnswer']

/** `processing`: whole replies, before anything else is done with them. `accepted` records and announces one. */
export function processing(to: Targets, accepted: Accepted) {
  return loopSetup.createStateConfig({
    description: 'Output processors check the reply before anything else is done with it.',
    initial: 'judging',
    states: {
      judging: {
        description: 'Do the processors accept so far, and is there another one to call?',
        always: [
          ...verdicts(to),
          { guard: 'hasOutputProcessorLeft', target: 'asking' },
          { target: `#${to.accepted}`, actions: accepted },
        ],
      },
      asking: {
        description: 'The next processors are called.',
        invoke: {
          ...profileHook('processOutput', (context: LoopContext) => ({
            processors: context.input.profile.processors.output,
            next: context.screening?.next ?? 0,
            step: context.step,
            text: screenedReply(context).text,
            toolCalls: screenedReply(context).toolCalls.map(withoutData),
            messages: context.messages,
          })),
          onDone: {
            target: 'judging',
            actions: { type: 'recordScreening', params: answerOf('processOutput') },
          },
          onError: processorFailed,
        },
      },
    },
  })
}
