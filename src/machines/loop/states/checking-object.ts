/** `checkingObject`: the answer is checked against the requested shape. */
import { answerOf } from '../../shared/params.ts'
import { optionalArrow } from '../../shared/arrow.ts'
import { hook } from '../../shared/hook.ts'
import type { Ending, LoopContext } from '../changes/context.ts'
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
      ...hook('validateObject', ({ input: { opening, profile }, reply }: LoopContext) => ({
        agent: opening.line?.shape?.agent ?? profile.id,
        scope: profile.hooks.validateObject ?? 'agent',
        timeout: profile.hookTimeout,
        data: { text: reply?.text ?? '' },
      })),
      onDone: [
        {
          guard: { type: 'hasShape', params: checked },
          target: `#${to.accepted}`,
          actions: [{ type: 'recordObject', params: checked }, ...accepted],
        },
        ...optionalArrow('mayRepair', to.again, { type: 'askForRepair', params: checked } as const),
        {
          target: ended,
          actions: ['closeStep', { type: 'end', params: endShapeless }],
        },
      ],
      onError: { target: ended, actions: ['closeStep', endFailed] },
    },
  })
}

function endShapeless({ event }: { readonly event: { readonly output: unknown } }): Ending {
  const message = `The answer does not have the requested shape: ${checked({ event }).problem}`
  return { outcome: 'failed', error: { name: 'InvalidObjectError', code: 'INVALID_OBJECT', message } }
}
