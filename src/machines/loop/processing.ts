/**
 * `processing`: output processors look at a reply before anybody else does. Those that saw it come have had their say
 * when it is there; then those that look at whole replies are asked. One gate decides each time what that means.
 */
import { toErrorData, type ErrorData } from '../../errors.ts'
import { answerOf, failure } from '../params.ts'
import type { LoopContext } from './context.ts'
import { refusal, screenedReply, tripped } from './screening.ts'
import { loopSetup } from './setup.ts'

type StateConfig = Parameters<typeof loopSetup.createStateConfig>[0]
type ListOf<Given> = Extract<NonNullable<Given>, readonly unknown[]>

interface InContext {
  readonly context: LoopContext
}

/** What a processor threw, and nothing was decided about yet. */
export const thrown = ({ context }: InContext): ErrorData =>
  context.screening?.failures[0] ?? toErrorData(undefined)

export const trippedEnding = ({ context }: InContext) => tripped(context)
export const refusalError = ({ context }: InContext) => refusal(context)

/** Those who see a reply come are the model's business: what they hold back is not even streamed. */
export function screenedBy({ input: { profile } }: LoopContext) {
  const { processOutput } = profile.hooks
  return processOutput === undefined ? {} : { outputProcessors: processOutput }
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
          {
            guard: 'forgivesProcessor',
            target: 'judging',
            actions: [{ type: 'announceError', params: thrown }, 'forgive'],
          },
          {
            guard: 'hasProcessorFailed',
            target: '#finishing',
            actions: [
              'dropDraft',
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
              'dropDraft',
              { type: 'end', params: trippedEnding },
              { type: 'announceError', params: refusalError },
              ...ending,
            ],
          },
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
          onError: { target: 'judging', actions: { type: 'recordScreeningFailure', params: failure } },
        },
      },
    },
  })
}
