/** `preparing`: the agent is completed for the run, its memory is recalled, and input processors check the prompt. */
import { answerOf } from '../../shared/params.ts'
import { optionalArrow } from '../../shared/arrow.ts'
import type { LoopContext } from '../changes/context.ts'
import { loopSetup } from '../setup.ts'
import { outOfTime } from './closing.ts'
import { configuring } from './configuring.ts'
import { processorFailed, verdicts } from './processing.ts'
import { recalling } from './recalling.ts'
import { profileHook } from '../../shared/hook.ts'

interface Targets {
  readonly ready: string
  /** The conversation of the thread is with another agent, which goes on with it. */
  readonly resumes?: string
  /**
   * The agent could not be prepared, was refused, or is out of time: no model is called, not even for a final turn.
   */
  readonly ended: string
}

export function preparing(to: Targets) {
  const ready = `#${to.ready}` as const
  return loopSetup.createStateConfig({
    description:
      'The agent is completed, its memory recalled, and its prompt processed. No model is called before.',
    on: { 'budget.spent': { target: `#${to.ended}`, actions: outOfTime } },
    initial: 'choosing',
    states: {
      choosing: {
        description: 'Are parts of the agent still to be computed, and is there a memory to recall?',
        always: [
          { guard: 'isDynamic', target: 'configuring' },
          { guard: 'hasMemory', target: 'recalling' },
          { target: 'judging' },
        ],
      },
      configuring: configuring({ configured: 'choosing', ended: to.ended }),
      recalling: recalling({ recalled: 'judging', ended: to.ended }),
      processing: {
        description: 'Input processors check the opening messages.',
        invoke: {
          ...profileHook('processInput', (context: LoopContext) => ({
            processors: context.input.profile.processors.input,
            next: context.screening?.next ?? 0,
            task: context.input.task,
            messages: context.messages,
          })),
          onDone: { target: 'judging', actions: { type: 'recordInput', params: answerOf('processInput') } },
          onError: processorFailed,
        },
      },
      judging: {
        description: `Do the processors accept so far, and is there another one to call?${to.resumes === undefined ? '' : ' Is the thread with another agent?'}`,
        always: [
          ...verdicts({ ended: to.ended }),
          { guard: 'hasInputProcessorLeft', target: 'processing' },
          ...optionalArrow('resumesHandoff', to.resumes),
          { target: ready },
        ],
      },
    },
  })
}
