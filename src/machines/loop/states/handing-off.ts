/** `handingOff`: the agent hands its conversation to another one. */
import { Derived } from '../../../actors/values/derived.ts'
import { answerOf } from '../../shared/params.ts'
import { agentOutput, type LoopContext } from '../changes/context.ts'
import { arrow } from '../../shared/arrow.ts'
import { handoffRecord } from '../changes/handoff-calls.ts'
import { loopSetup } from '../setup.ts'
import { announceFailure, endAndAnnounceFailure } from './failing.ts'
import { profileHook } from '../../shared/hook.ts'

interface Targets {
  /** No other handoff may follow. */
  readonly capped: string
  /** The agent ends as `handedOff`, or as failed. */
  readonly left: string
}

export function handingOff(to: Targets) {
  const left = `#${to.left}` as const
  return loopSetup.createStateConfig({
    description: 'The conversation is handed to another agent, which goes on in place of this one.',
    initial: 'choosing',
    states: {
      choosing: {
        description: 'May another handoff follow, and does the user choose the messages that go with it?',
        always: [
          arrow('isAtHandoffCap', to.capped, {
            type: 'end',
            params: { outcome: 'exhausted', reason: 'handoffs' },
          } as const),
          { guard: 'hasHandoffFilter', target: 'filtering' },
          { target: left, actions: 'handOff' },
        ],
      },
      filtering: {
        description:
          'A hook filters the messages. If it fails and hook errors are ignored, only the user prompt goes along.',
        invoke: {
          ...profileHook('handoffFilter', (context: LoopContext) => ({
            ...handoffRecord(context),
            task: context.input.task,
            messages: context.messages,
            options: context.input.profile.delegation,
            loop: new Derived(context),
          })),
          onDone: {
            target: left,
            actions: { type: 'handOffFiltered', params: answerOf('handoffFilter') },
          },
          onError: [
            { guard: 'ignoresHookErrors', target: left, actions: [announceFailure, 'handOffTaskAlone'] },
            { target: left, actions: endAndAnnounceFailure },
          ],
        },
      },
    },
  })
}

/** The final state. The parent of the agent starts the successor. */
export const handedOff = {
  type: 'final',
  entry: 'announceHandoff',
  output: ({ context }: { context: LoopContext }) => agentOutput(context),
} as const
