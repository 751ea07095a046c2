/** `handingOff`: control leaves. May it, what goes with it, and then the agent ends as `handedOff`. */
import { answerOf, failure } from '../../shared/params.ts'
import { agentOutput, type LoopContext } from '../changes/context.ts'
import { spentInIteration } from './expiring.ts'
import { loopSetup } from '../setup.ts'
import { handoffRecord } from '../changes/handoff-calls.ts'

/** With `reviewed` the step is an iteration, and ends as one: neither reviewed nor scored, as where an agent bails. */
export function handingOff({ reviewed }: { reviewed: boolean }) {
  const iterationEnds = reviewed
    ? [{ type: 'announceIterationEnd' as const, params: { continue: false } }]
    : []
  return loopSetup.createStateConfig({
    id: 'handingOff',
    description: 'The conversation is handed to another agent, which goes on in place of this one.',
    ...(reviewed ? { on: spentInIteration } : {}),
    initial: 'choosing',
    states: {
      choosing: {
        description: 'May another handoff follow, and does the user choose what goes with it?',
        always: [
          {
            guard: 'isAtHandoffCap',
            target: '#exhausting',
            actions: [
              { type: 'end', params: { outcome: 'exhausted', reason: 'handoffs' } },
              ...iterationEnds,
            ],
          },
          { guard: 'hasHandoffFilter', target: 'filtering' },
          { target: '#finishing', actions: ['handOff', ...iterationEnds] },
        ],
      },
      filtering: {
        description: 'Where the filter fails and that is ignored, the prompt of the user goes alone.',
        invoke: {
          src: 'hook',
          id: 'hook:handoffFilter',
          input: ({ context }) => ({
            agent: context.input.profile.id,
            hook: 'handoffFilter',
            scope: 'agent',
            timeout: context.input.profile.hookTimeout,
            data: {
              ...handoffRecord(context),
              task: context.input.task,
              messages: context.messages,
              options: context.input.profile.delegation,
            },
          }),
          onDone: {
            target: '#finishing',
            actions: [{ type: 'handOffFiltered', params: answerOf('handoffFilter') }, ...iterationEnds],
          },
          onError: [
            {
              guard: 'ignoresHookErrors',
              target: '#finishing',
              actions: [{ type: 'announceError', params: failure }, 'handOffTaskAlone', ...iterationEnds],
            },
            {
              target: '#finishing',
              actions: [
                { type: 'end', params: ({ event }) => ({ outcome: 'failed', error: failure({ event }) }) },
                { type: 'announceError', params: failure },
                ...iterationEnds,
              ],
            },
          ],
        },
      },
    },
  })
}

/** The final state: whoever runs the agent starts the one that goes on. */
export const handedOff = {
  id: 'handedOff',
  type: 'final',
  entry: 'announceHandoff',
  output: ({ context }: { context: LoopContext }) => agentOutput(context),
} as const
