/**
 * Input processors check messages of people, one message after the other, before a model reads them. A message that a
 * processor refuses, or that cannot be checked, is not read.
 */
import { once } from '../actors/values/once.ts'
import { AppendLog } from '../actors/values/append-log.ts'
import { answerOf, failure } from './shared/params.ts'
import { hook } from './shared/hook.ts'
import { initialContext, screeningOutput, type ScreeningContext } from './screening/context.ts'
import { screeningSetup } from './screening/setup.ts'
import type { ScreeningOutput } from './contract/reports.ts'

export type { ScreeningInput } from './screening/context.ts'

export const screeningMachine = /* @__PURE__ */ once(() =>
  screeningSetup.createMachine({
    id: 'screening',
    description: 'Input processors check messages of people before a model reads them.',
    context: ({ input }) => initialContext(input),
    output: ({ event }) => event.output as ScreeningOutput,
    initial: 'judging',
    on: {
      cancel: { target: '.cancelled', actions: 'abortEffects' },
      'budget.spent': { target: '.cancelled', actions: 'abortEffects' },
    },
    states: {
      judging: {
        description:
          'Do the processors accept the message so far, and is there another processor, or another message?',
        always: [
          { guard: 'isDone', target: 'screened' },
          { guard: 'ignoresFailure', target: 'judging', actions: ['announceFailure', 'ignoreFailure'] },
          { guard: 'hasFailed', target: 'judging', actions: ['announceFailure', 'refuse'] },
          { guard: 'isRefused', target: 'judging', actions: 'refuse' },
          { guard: 'hasProcessorLeft', target: 'asking' },
          { guard: 'leavesNoMessage', target: 'judging', actions: 'refuse' },
          { target: 'judging', actions: 'pass' },
        ],
      },
      asking: {
        description: 'The next processor is called with the message.',
        invoke: {
          ...hook('processInput', ({ input, progress }: ScreeningContext) => ({
            agent: input.agent,
            scope: input.scope,
            timeout: input.hookTimeout,
            data: {
              processors: input.processors,
              next: progress.next,
              task: input.task,
              messages: AppendLog.of(progress.messages),
            },
          })),
          onDone: { target: 'judging', actions: { type: 'recordAnswer', params: answerOf('processInput') } },
          onError: { target: 'judging', actions: { type: 'recordFailure', params: failure } },
        },
      },
      screened: { type: 'final', output: ({ context }) => screeningOutput(context) },
      cancelled: { type: 'final', output: ({ context }) => screeningOutput(context) },
    },
  }),
)

/** Named, so that declarations of the charts above it name it too. */
export interface ScreeningMachine extends ReturnType<typeof screeningMachine> {}
