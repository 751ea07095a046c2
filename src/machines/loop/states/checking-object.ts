/** `checkingObject`: the answer is checked against the requested shape. */
import type { ErrorData } from '../../../errors.ts'
import { answerOf } from '../../shared/params.ts'
import { optionalArrow } from '../../shared/arrow.ts'
import type { InContext } from '../changes/context.ts'
import { loopSetup } from '../setup.ts'
import { endFailed } from './failing.ts'

interface Targets {
  /** The answer has the shape. */
  readonly accepted: string
  /** The answer is sent back once. Where it is not named, the first one counts. */
  readonly again?: string
  readonly ended: string
}

const checked = answerOf('validateObject')

/** What is done with an answer that has the shape, when its value is recorded. */
type Accepted =
  | readonly ['closeStep']
  | readonly ['closeStep', { readonly type: 'end'; readonly params: { readonly outcome: 'completed' } }]

export function checkingObject(to: Targets, accepted: Accepted) {
  const ended = `#${to.ended}` as const
  const again = to.again === undefined ? '' : ' If not, it is sent back once.'
  return loopSetup.createStateConfig({
    description: `Does the answer have the requested shape?${again}`,
    invoke: {
      src: 'hook',
      id: 'hook:validateObject',
      input: ({ context }: InContext) => ({
        agent: context.input.opening.line?.shape?.agent ?? context.input.profile.id,
        hook: 'validateObject',
        scope: context.input.profile.hooks.validateObject ?? 'agent',
        timeout: context.input.profile.hookTimeout,
        data: { text: context.reply?.text ?? '' },
      }),
      onDone: [
        {
          guard: { type: 'hasShape', params: checked },
          target: `#${to.accepted}`,
          actions: [{ type: 'recordObject', params: checked }, ...accepted],
        },
        ...optionalArrow('mayRepair', to.again, { type: 'askForRepair', params: checked } as const),
        {
          target: ended,
          actions: [
            'closeStep',
            {
              type: 'end',
              params: ({ event }) => ({ outcome: 'failed', error: shapeless(checked({ event }).problem) }),
            },
          ],
        },
      ],
      onError: { target: ended, actions: ['closeStep', endFailed] },
    },
  })
}

function shapeless(problem: string | null): ErrorData {
  const message = `The answer does not have the requested shape: ${problem}`
  return { name: 'InvalidObjectError', code: 'INVALID_OBJECT', message }
}
