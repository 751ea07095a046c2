/**
 * `authorising`: hooks may modify or reject the delegation before the subagent costs anything. A delegation that ends
 * here without a rejection announces its start with its end.
 */
import { answerOf } from '../shared/params.ts'
import { awaitingApproval } from './approving.ts'
import { hookData, type DelegationContext } from './context.ts'
import { hookFails, letGo, type EarlyEnds } from './hooks.ts'
import { delegationSetup } from './setup.ts'
import { profileHook } from '../shared/hook.ts'

const start = answerOf('onDelegationStart')

interface Targets extends EarlyEnds {
  /** The subagent is at work. */
  readonly started: string
  /** A hook or a person refuses the delegation, or it names files that are not there. */
  readonly rejected: string
  /** The delegation is deeper than the tree may be. */
  readonly tooDeep: string
  /** A hook failed. */
  readonly failed: string
}

export function authorising(to: Targets) {
  const rejected = `#${to.rejected}` as const
  const failed = `#${to.failed}` as const
  return delegationSetup.createStateConfig({
    description: 'Hooks may modify or reject the delegation before the subagent costs anything.',
    initial: 'checkingDepth',
    on: {
      ...letGo(to, ['announceStart']),
      'xstate.done.actor.timer:deadline': {
        target: `#${to.timedOut}`,
        actions: ['expireEffects', 'recordLapse', 'announceStart'],
      },
    },
    states: {
      checkingDepth: {
        description:
          'Is the delegation within the depth of the tree, and are the files there that it names? A timeout covers the hooks as well.',
        always: [
          { guard: 'isTooDeep', target: `#${to.tooDeep}`, actions: ['recordDepth', 'announceStart'] },
          { guard: 'namesUnknownFile', target: rejected, actions: 'recordUnknownFile' },
          { guard: 'hasTimeout', target: 'choosingHook', actions: 'startDeadline' },
          { target: 'choosingHook' },
        ],
      },
      choosingHook: {
        description: 'Is there a hook that may modify or reject the delegation?',
        always: [{ guard: 'hasStartHook', target: 'askingStartHook' }, { target: 'choosingApproval' }],
      },
      askingStartHook: {
        description: 'onDelegationStart may modify or reject the delegation.',
        invoke: {
          ...profileHook('onDelegationStart', hookData),
          onDone: [
            {
              guard: { type: 'isRejected', params: start },
              target: rejected,
              actions: { type: 'recordRejection', params: start },
            },
            {
              target: 'choosingApproval',
              actions: { type: 'applyChanges', params: start },
            },
          ],
          onError: hookFails({ ignored: 'choosingApproval', otherwise: failed }, ['announceStart']),
        },
      },
      choosingApproval: {
        description: 'Must a person approve the delegation?',
        always: [
          { guard: 'asksForApproval', target: 'askingPredicate' },
          { guard: 'requiresApproval', target: 'consulting' },
          { target: 'choosingHistory' },
        ],
      },
      askingPredicate: {
        description:
          'requireApproval decides whether a person must approve. If it fails, a person must, or the delegation fails.',
        invoke: {
          ...profileHook('requireDelegationApproval', hookData),
          onDone: [
            {
              guard: { type: 'saysYes', params: answerOf('requireDelegationApproval') },
              target: 'consulting',
            },
            { target: 'choosingHistory' },
          ],
          onError: hookFails({ ignored: 'consulting', otherwise: failed }, ['announceStart']),
        },
      },
      consulting: {
        description: 'Has a person decided about this subagent for the rest of the run?',
        always: [
          { guard: 'isApprovedForRun', target: 'choosingHistory' },
          { guard: 'isDeniedForRun', target: rejected, actions: 'recordStandingDenial' },
          { guard: 'hasTimeout', target: 'awaitingApproval', actions: 'pauseDeadline' },
          { target: 'awaitingApproval' },
        ],
      },
      awaitingApproval: awaitingApproval({ approved: 'choosingHistory', rejected: to.rejected }),
      choosingHistory: {
        description: 'Does a hook filter the history for the subagent?',
        always: [
          { guard: 'hasMessageFilter', target: 'filteringHistory' },
          { target: 'starting', actions: 'shareHistory' },
        ],
      },
      filteringHistory: {
        description:
          'A hook filters the history. If it fails and hook errors are ignored, no history is shared.',
        invoke: {
          ...profileHook('messageFilter', (context: DelegationContext) => ({
            ...hookData(context),
            options: context.input.profile.delegation,
          })),
          onDone: {
            target: 'starting',
            actions: {
              type: 'shareFiltered',
              params: answerOf('messageFilter'),
            },
          },
          onError: hookFails({ ignored: 'starting', otherwise: failed }, ['announceStart']),
        },
      },
      starting: {
        always: { target: `#${to.started}`, actions: ['announceStart', 'startAgent'] },
      },
    },
  })
}
