/** `rechecking`: a person has approved the call with other arguments, which must fit the schema of the tool too. */
import type { ErrorData } from '../../errors.ts'
import { failure } from '../shared/params.ts'
import { checkingLater } from './checking-later.ts'
import type { ToolCallContext } from './context.ts'
import { toolCallSetup } from './setup.ts'

interface InContext {
  readonly context: ToolCallContext
}

interface Failed {
  readonly event: { readonly error: unknown }
}

const problemFound = ({ context: { check } }: InContext) => (check.status === 'invalid' ? check.problem : '')
const problemThrown = ({ event }: Failed): ErrorData['message'] => failure({ event }).message

/** The answer does not count: the call has the arguments of the model again. */
const refuse = <Params>(params: Params) => [{ type: 'announceMisfit', params }, 'dropChange'] as const

interface Targets {
  /** The changed arguments fit. */
  readonly fits: string
  /** They do not fit: the question is asked again. */
  readonly misfits: string
  readonly cancelled: string
}

export function rechecking(to: Targets) {
  const misfits = `#${to.misfits}` as const
  const cancelled = `#${to.cancelled}` as const
  return toolCallSetup.createStateConfig({
    description:
      'A person has changed the arguments. They must be found to fit the schema of the tool, or the question is asked again.',
    initial: 'checking',
    states: {
      checking: {
        description: 'Do the changed arguments fit?',
        always: [
          { guard: 'needsAsynchronousCheck', target: 'checkingLater' },
          { guard: 'isInvalid', target: misfits, actions: refuse(problemFound) },
          { target: `#${to.fits}`, actions: 'announceChange' },
        ],
      },
      checkingLater: checkingLater({ target: misfits, actions: refuse(problemThrown) }),
    },
    on: {
      cancel: { target: cancelled, actions: ['abortEffects', 'announceUnchecked', 'dropChange'] },
      'budget.spent': {
        target: cancelled,
        actions: ['abortEffects', 'recordSpent', 'announceUnchecked', 'dropChange'],
      },
    },
  })
}
