/** `askingStopWhen`: the user's condition, evaluated before another model call. */
import { arrow } from '../arrow.ts'
import type { InContext } from '../changes/context.ts'
import { loopSetup } from '../setup.ts'
import { outOfTime } from './closing.ts'
import { announceFailure, failed } from './failing.ts'

const answer = ({ event }: { readonly event: { readonly output: unknown } }) => ({
  answer: event.output === true,
})

/** Within `deciding`: goes on to its state `goesOn`. */
export function askingStopWhen(to: { readonly goesOn: string; readonly stopped: string }) {
  const stopped = `#${to.stopped}` as const
  return loopSetup.createStateConfig({
    description:
      'May another model call follow? If the time of the run is up, the agent ends here, without a final turn.',
    on: { 'budget.spent': { target: stopped, actions: outOfTime } },
    invoke: {
      src: 'hook',
      id: 'hook:stopWhen',
      input: ({ context }: InContext) => ({
        agent: context.input.profile.id,
        hook: 'stopWhen',
        scope: context.input.profile.hooks.stopWhen ?? 'agent',
        timeout: context.input.profile.hookTimeout,
        data: { text: context.reply?.text ?? '', stepCount: context.step, steps: context.ledger.steps },
      }),
      onDone: [
        ...arrow({ type: 'answeredYes', params: answer } as const, to.stopped, {
          type: 'end',
          params: { outcome: 'stopped', reason: 'stopWhen' },
        } as const),
        { target: to.goesOn },
      ],
      onError: [
        { guard: 'ignoresHookErrors', target: to.goesOn, actions: announceFailure },
        { target: stopped, actions: failed },
      ],
    },
  })
}
