/**
 * `processing`: output processors look at a reply before anybody else does. Those that saw it come have had their say
 * when it is there; then those that look at whole replies are asked. One gate decides each time what that means.
 */
import { toErrorData, type ErrorData } from '../../../errors.ts'
import type { EffectOutcome } from '../../../actors/effect-kinds.ts'
import { expected } from '../../../actors/toolset.ts'
import { answerOf, failure, output } from '../../shared/params.ts'
import { currentMessage } from '../changes/record.ts'
import type { LoopContext } from '../changes/context.ts'
import { modelLimits } from '../changes/limits.ts'
import { refusal, screenedReply, tripped } from '../changes/screening.ts'
import { loopSetup } from '../setup.ts'

type StateConfig = Parameters<typeof loopSetup.createStateConfig>[0]
type ListOf<Given> = Extract<NonNullable<Given>, readonly unknown[]>

/** A call by which the model speaks. The order of the fields is part of its digest. */
export function speaking<How extends object>(context: LoopContext, how: How) {
  const { profile } = context.input
  return {
    agent: profile.id,
    model: profile.model,
    message: currentMessage(context),
    messages: context.messages,
    ...how,
    ...screenedBy(context),
    ...expected(profile.toolset),
    ...modelLimits(profile),
  }
}

/** A reply that processors are to look at is a draft. */
export const drafted = {
  guard: 'hasOutputProcessor',
  target: 'processing',
  actions: { type: 'recordDraft', params: output<EffectOutcome<'model'>> },
} as const

interface Verdicts {
  /** What becomes of a draft that is not accepted. */
  readonly dropping?: ListOf<StateConfig['entry']>
  readonly mayAskAgain?: ListOf<StateConfig['always']>
  readonly ending?: ListOf<StateConfig['entry']>
}

interface InContext {
  readonly context: LoopContext
}

/** What a processor threw, and nothing was decided about yet. */
const thrown = ({ context }: InContext): ErrorData => context.screening?.failures[0] ?? toErrorData(undefined)

const trippedEnding = ({ context }: InContext) => tripped(context)
const refusalError = ({ context }: InContext) => refusal(context)

/** Those who see a reply come are the model's business: what they hold back is not even streamed. */
function screenedBy({ input: { profile } }: LoopContext) {
  const { processOutput } = profile.hooks
  return processOutput === undefined ? {} : { outputProcessors: processOutput }
}

/** What it means that a processor threw, or refused: the same before a reply as before the first one. */
export function verdicts({ dropping = [], mayAskAgain = [], ending = [] }: Verdicts = {}) {
  return loopSetup.createStateConfig({
    always: [
      {
        guard: 'forgivesProcessor',
        target: 'judging',
        actions: [{ type: 'announceError', params: thrown }, 'forgive'],
      },
      {
        guard: 'hasProcessorFailed',
        target: '#finishing',
        actions: [
          ...dropping,
          { type: 'end', params: ({ context }) => ({ outcome: 'failed', error: thrown({ context }) }) },
          { type: 'announceError', params: thrown },
          ...ending,
        ],
      },
      ...mayAskAgain,
      {
        guard: 'isTripped',
        target: '#finishing',
        actions: [
          ...dropping,
          { type: 'end', params: trippedEnding },
          { type: 'announceError', params: refusalError },
          ...ending,
        ],
      },
    ],
  }).always
}

/** `accepted`: where a reply goes that has passed. `ending`: the actions by which the agent's work ends here. */
export function processing(options: {
  readonly mayAskAgain: ListOf<StateConfig['always']>
  readonly accepted: ListOf<StateConfig['always']>
  readonly ending: ListOf<StateConfig['entry']>
}) {
  const { mayAskAgain, accepted, ending } = options
  return loopSetup.createStateConfig({
    description: 'Output processors look at the reply before anybody else does.',
    initial: 'judging',
    states: {
      judging: {
        description: 'What have the processors said so far, and who is to be asked yet?',
        always: [
          ...verdicts({ dropping: ['dropDraft'], mayAskAgain, ending }),
          { guard: 'hasOutputProcessorLeft', target: 'asking' },
          ...accepted,
        ],
      },
      asking: {
        invoke: {
          src: 'hook',
          id: 'hook:processOutput',
          input: ({ context }) => ({
            agent: context.input.profile.id,
            hook: 'processOutput',
            scope: context.input.profile.hooks.processOutput ?? 'agent',
            timeout: context.input.profile.hookTimeout,
            data: {
              processors: context.input.profile.processors.output,
              next: context.screening?.next ?? 0,
              step: context.step,
              text: screenedReply(context).text,
              toolCalls: screenedReply(context).toolCalls,
              messages: context.messages,
            },
          }),
          onDone: {
            target: 'judging',
            actions: { type: 'recordScreening', params: answerOf('processOutput') },
          },
          onError: [
            {
              guard: { type: 'hasTimedOut', params: failure },
              target: 'judging',
              actions: { type: 'recordProcessorTimeout', params: failure },
            },
            { target: 'judging', actions: { type: 'recordScreeningFailure', params: failure } },
          ],
        },
      },
    },
  })
}
