/** `awaitingApproval`, within `authorising`: a person approves the delegation, or it is rejected. */
import { output } from '../shared/params.ts'
import { approvalQuestion } from './context.ts'
import { delegationSetup } from './setup.ts'

/** Goes on to the sibling `to.approved`; `to.rejected` is the id of a state. The timeout of the delegation is paused before. */
export function awaitingApproval(to: { readonly approved: string; readonly rejected: string }) {
  const rejected = `#${to.rejected}` as const
  return delegationSetup.createStateConfig({
    description: 'A person must approve. The delegation is held, and gives up its place in the window.',
    entry: ['announceApproval', 'announceHeld'],
    exit: 'announceReleased',
    initial: 'choosing',
    states: {
      choosing: { always: [{ guard: 'hasApprovalTimeout', target: 'limited' }, { target: 'unlimited' }] },
      limited: {
        description: 'Without an answer in time the delegation is rejected.',
        invoke: {
          src: 'timer',
          id: 'timer:approval',
          input: ({ context }) => ({
            delay: context.input.profile.delegation.approvalTimeout ?? 0,
            dormant: true,
          }),
          onDone: { target: rejected, actions: 'recordNoApproval' },
        },
      },
      unlimited: {},
    },
    invoke: {
      src: 'signal',
      id: 'signal:approval',
      input: ({ context }) => approvalQuestion(context),
      onDone: [
        {
          guard: { type: 'isMisfit', params: output },
          target: 'awaitingApproval',
          reenter: true,
          actions: { type: 'announceMisfit', params: output },
        },
        {
          guard: { type: 'changesArgumentsUnderDeadline', params: output },
          target: to.approved,
          actions: [
            'unpauseDeadline',
            { type: 'recordChange', params: output },
            { type: 'announceAnswer', params: output },
          ],
        },
        {
          guard: { type: 'changesArguments', params: output },
          target: to.approved,
          actions: [
            { type: 'recordChange', params: output },
            { type: 'announceAnswer', params: output },
          ],
        },
        {
          guard: { type: 'isApprovedUnderDeadline', params: output },
          target: to.approved,
          actions: ['unpauseDeadline', { type: 'announceAnswer', params: output }],
        },
        {
          guard: { type: 'isApproved', params: output },
          target: to.approved,
          actions: { type: 'announceAnswer', params: output },
        },
        {
          target: rejected,
          actions: [
            { type: 'recordDenial', params: output },
            { type: 'announceAnswer', params: output },
          ],
        },
      ],
    },
  })
}
