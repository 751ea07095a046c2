/** `validating`: nothing runs before the arguments fit, and before it is known whether a person must approve. */
import { answerOf, failure } from '../shared/params.ts'
import { callHook } from './call-hook.ts'
import { checkingLater } from './checking-later.ts'
import { toolCallSetup } from './setup.ts'

interface Targets {
  /** The arguments fit, and no person need approve, or one has for the whole run. */
  readonly approved: string
  /** A person must approve. */
  readonly asks: string
  /** A person has denied this tool for the rest of the run. */
  readonly denied: string
  /** The arguments do not fit, or a hook failed. */
  readonly failed: string
}

export function validating(to: Targets) {
  const approved = `#${to.approved}` as const
  const failed = `#${to.failed}` as const
  return toolCallSetup.createStateConfig({
    entry: 'announceCall',
    description: 'Nothing runs before the arguments fit the schema of the tool.',
    initial: 'checking',
    states: {
      checking: {
        description: 'Do the arguments fit, and must a person approve?',
        always: [
          { guard: 'needsAsynchronousCheck', target: 'checkingLater' },
          { guard: 'isInvalid', target: failed, actions: 'recordInvalid' },
          { guard: 'hasApprovalPredicate', target: 'askingPredicate' },
          { guard: 'requiresApproval', target: 'approving' },
          { target: approved },
        ],
      },
      checkingLater: checkingLater({
        target: failed,
        actions: { type: 'recordError', params: failure },
      }),
      approving: {
        description: 'Has a person decided about this tool for the rest of the run?',
        always: [
          { guard: 'isApprovedForRun', target: approved },
          { guard: 'isDeniedForRun', target: `#${to.denied}`, actions: 'recordStandingDenial' },
          { target: `#${to.asks}` },
        ],
      },
      askingPredicate: {
        description: 'requireApproval decides whether a person must approve.',
        invoke: {
          ...callHook('requireApproval'),
          onDone: [
            {
              guard: { type: 'saysYes', params: answerOf('requireApproval') },
              target: 'approving',
            },
            { target: approved },
          ],
          onError: [
            {
              guard: 'ignoresHookErrors',
              target: 'approving',
              actions: { type: 'announceHookError', params: failure },
            },
            { target: failed, actions: { type: 'recordError', params: failure } },
          ],
        },
      },
    },
  })
}
