/** `preparing`: the agent is completed for the run, its memory is recalled, and input processors look at the prompt. */
import { answerOf } from '../../shared/params.ts'
import { loopSetup } from '../setup.ts'
import { outOfTime } from './closing.ts'
import { configuring } from './configuring.ts'
import { processorFailed, verdicts } from './processing.ts'
import { recalling } from './recalling.ts'

interface Targets {
  readonly ready: string
  /** The agent could not be prepared, was refused, or is out of time: no model is asked, not even for a last word. */
  readonly ended: string
}

export function preparing(to: Targets) {
  const ready = `#${to.ready}` as const
  return loopSetup.createStateConfig({
    description:
      'The agent is completed, its memory recalled, and its prompt processed. No model is asked before.',
    on: { 'budget.spent': { target: `#${to.ended}`, actions: outOfTime } },
    initial: 'choosing',
    states: {
      choosing: {
        always: [{ guard: 'isDynamic', target: 'configuring' }, { target: 'configured' }],
      },
      configuring: configuring({ configured: 'configured', ended: to.ended }),
      configured: {
        always: [
          { guard: 'hasMemory', target: 'recalling' },
          { guard: 'hasInputProcessorLeft', target: 'processing' },
          { target: ready },
        ],
      },
      recalling: recalling({ recalled: 'judging', ended: to.ended }),
      processing: {
        description: 'Input processors look at the opening messages.',
        invoke: {
          src: 'hook',
          id: 'hook:processInput',
          input: ({ context }) => ({
            agent: context.input.profile.id,
            hook: 'processInput',
            scope: context.input.profile.hooks.processInput ?? 'agent',
            timeout: context.input.profile.hookTimeout,
            data: {
              processors: context.input.profile.processors.input,
              next: context.screening?.next ?? 0,
              task: context.input.task,
              messages: context.messages,
            },
          }),
          onDone: { target: 'judging', actions: { type: 'recordInput', params: answerOf('processInput') } },
          onError: processorFailed,
        },
      },
      judging: {
        description: 'What have the processors said so far, and is another one to be asked?',
        always: [
          ...verdicts({ ended: to.ended }),
          { guard: 'hasInputProcessorLeft', target: 'processing' },
          { target: ready },
        ],
      },
    },
  })
}
