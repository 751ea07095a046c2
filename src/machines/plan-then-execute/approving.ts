/** `approving`: may the plan be carried out? A person approves it, changes its steps, or rejects it with a reason. */
import { Derived } from '../../actors/values/derived.ts'
import { announceFailure, endAndAnnounceFailure } from '../loop/states/failing.ts'
import { profileHook } from '../shared/hook.ts'
import { answerOf, output } from '../shared/params.ts'
import { planFacts, planSignal, proposedSteps } from './plan-approval.ts'
import { planSetup } from './setup.ts'
import type { PlanContext } from './work.ts'

interface Targets {
  /** The plan is in force. */
  readonly approved: string
  readonly rejected: string
  /** The function of the user failed, and the agent with it. */
  readonly failed: string
}

export function approving(to: Targets) {
  const rejected = `#${to.rejected}` as const
  return planSetup.createStateConfig({
    description: 'May the plan be carried out? No step begins before.',
    initial: 'choosing',
    states: {
      choosing: {
        description: 'Must a person approve the plan?',
        always: [
          { guard: 'asksAboutPlan', target: 'askingPredicate' },
          { guard: 'requiresPlanApproval', target: 'awaitingPlan', actions: 'countPlanQuestion' },
          { target: 'adopting' },
        ],
      },
      askingPredicate: {
        description:
          'approvePlan decides whether a person must approve. If it fails, a person must, or the agent fails.',
        invoke: {
          ...profileHook('approvePlan', (context: PlanContext) => {
            const { revision, reason } = planFacts(context)
            return {
              revision,
              proposed: proposedSteps(context.work),
              ...(reason === undefined ? {} : { reason }),
              task: context.input.task,
              loop: new Derived(context),
            }
          }),
          onDone: [
            {
              guard: { type: 'saysYes', params: answerOf('approvePlan') },
              target: 'awaitingPlan',
              actions: 'countPlanQuestion',
            },
            { target: 'adopting' },
          ],
          onError: [
            {
              guard: 'ignoresHookErrors',
              target: 'awaitingPlan',
              actions: [announceFailure, 'countPlanQuestion'],
            },
            { target: `#${to.failed}`, actions: endAndAnnounceFailure },
          ],
        },
      },
      awaitingPlan: {
        description: 'A person must approve the plan, and may change its steps. The agent is held.',
        entry: ['announcePlanQuestion', 'announceHeld'],
        exit: 'announceReleased',
        invoke: {
          src: 'signal',
          id: 'signal:plan',
          input: ({ context }) => planSignal(context),
          onDone: [
            {
              guard: { type: 'isMisfitPlan', params: output },
              target: 'awaitingPlan',
              reenter: true,
              actions: { type: 'announceMisfitPlan', params: output },
            },
            {
              guard: { type: 'changesPlan', params: output },
              target: 'adopting',
              actions: [
                { type: 'recordPlanChange', params: output },
                { type: 'announcePlanAnswer', params: output },
              ],
            },
            {
              guard: { type: 'saysYes', params: ({ event }) => event.output.approved },
              target: 'adopting',
              actions: { type: 'announcePlanAnswer', params: output },
            },
            {
              target: rejected,
              actions: [
                { type: 'announcePlanAnswer', params: output },
                { type: 'recordRejection', params: output },
                'announceProblem',
              ],
            },
          ],
        },
      },
      adopting: {
        description: 'The plan comes into force, the first one or a revision.',
        always: [
          { guard: 'isRevision', target: `#${to.approved}`, actions: ['announceRevision', 'adoptPlan'] },
          { target: `#${to.approved}`, actions: ['announcePlan', 'adoptPlan'] },
        ],
      },
    },
  })
}
