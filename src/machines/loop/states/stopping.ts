/** `askingStopWhen`: the user's condition, asked before another model call. */
import { arrow } from '../arrow.ts'
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
      'May another model call follow? A final turn is one too, so being out of time ends the agent here.',
    on: { 'budget.spent': { target: stopped, actions: outOfTime } },
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
