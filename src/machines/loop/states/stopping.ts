/** `askingStopWhen`: the user's condition, asked before another model call. */
import { failure } from '../../shared/params.ts'
import { spentForGood } from './expiring.ts'
import { loopSetup } from '../setup.ts'

/** Goes on to `continuing`. With `reviewed` the step is an iteration, and ends as one. */
export function askingStopWhen({ reviewed }: { reviewed: boolean }) {
  const iterationEnds = reviewed
    ? [{ type: 'announceIterationEnd' as const, params: { continue: false } }]
    : []
  return loopSetup.createStateConfig({
    description:
      'Nothing lifts a stop condition: it is asked wherever another model call would follow, a final turn included.',
    on: {
      'budget.spent': {
        ...spentForGood['budget.spent'],
        actions: [...spentForGood['budget.spent'].actions, ...iterationEnds],
      },
    },
    invoke: {
      src: 'hook',
      id: 'hook:stopWhen',
      input: ({ context }) => ({
        agent: context.input.profile.id,
        hook: 'stopWhen',
        scope: context.input.profile.hooks.stopWhen ?? 'agent',
        timeout: context.input.profile.hookTimeout,
        data: { text: context.reply?.text ?? '', stepCount: context.step, steps: context.ledger.steps },
      }),
      onDone: [
        {
          guard: { type: 'answeredYes', params: ({ event }) => ({ answer: event.output === true }) },
          target: '#finishing',
          actions: [{ type: 'end', params: { outcome: 'stopped', reason: 'stopWhen' } }, ...iterationEnds],
        },
        { target: 'continuing' },
      ],
      onError: [
        {
          guard: 'ignoresHookErrors',
          target: 'continuing',
          actions: { type: 'announceError', params: failure },
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
  })
}
