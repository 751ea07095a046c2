/**
 * The meta-router: chooses the type of a task, and one of the patterns that are valid for that type. Both come from
 * configuration, and the choices are recorded. Then the agent of that pattern carries out the task.
 */
import { once } from '../actors/values/once.ts'
import type { AgentReport } from './contract/agent.ts'
import { agentOutput, initialContext } from './loop/changes/context.ts'
import { endings, holds, reports } from './loop/child-events.ts'
import { hearsNoSayings } from './loop/sayings.ts'
import { named } from './shared/named.ts'
import { batch } from './loop/states/batch.ts'
import { announceOutOfTime, cancelling, closing, outOfTime } from './loop/states/closing.ts'
import { finishing, speaking } from './loop/states/ending.ts'
import { preparing } from './loop/states/preparing.ts'
import { identifying, selectingPattern } from './meta-router/choosing.ts'
import { metaRouterSetup } from './meta-router/setup.ts'
import { firstWork, type RouteContext } from './meta-router/work.ts'

export const metaRouterMachine = /* @__PURE__ */ once(() =>
  metaRouterSetup.createMachine({
    id: 'meta-router',
    description:
      'Chooses the type of a task, then one of the patterns valid for it, and hands the task over.',
    context: ({ input }) => initialContext(input, ({ profile }) => firstWork(profile.route)),
    output: ({ event }) => event.output as AgentReport,
    initial: 'preparing',
    on: { cancel: '.cancelling', 'budget.spent': '.expiring', ...reports, ...holds, ...hearsNoSayings },
    states: named({
      preparing: preparing({ ready: 'identifyingTaskType', ended: 'finishing' }),
      identifyingTaskType: identifying({
        named: 'dispatching',
        known: 'selectingPattern',
        failed: 'finishing',
      }),
      selectingPattern: selectingPattern({ selected: 'dispatching' }),
      dispatching: {
        description: 'The agent of the pattern carries out the task; its outcome is that of the meta-router.',
        entry: ['announcePattern', 'dispatch'],
        on: {
          ...endings,
          // The agent of the pattern ends with the results that it has, and so does the meta-router.
          'budget.spent': { actions: ['expireChildren', announceOutOfTime] },
        },
        ...batch({ settled: 'finishing' }),
      },
      expiring: {
        description: 'The time of the run is up before a pattern is chosen.',
        entry: [...outOfTime, 'expireChildren'],
        ...closing({ closed: 'finishing', cancelled: 'cancelling' }),
      },
      cancelling: cancelling({ closed: 'finishing' }),
      finishing: finishing({
        speaking,
        ends: ['completed', 'exhausted', 'bailed', 'tripped', 'cancelled', 'failed'],
      }),
      completed: final(),
      bailed: final(),
      exhausted: final(),
      tripped: final(),
      failed: final(),
      cancelled: final(),
    }),
  }),
)

/** The output with the decisions that were made, and their reasons. */
function final() {
  return {
    type: 'final',
    output: ({ context }: { context: RouteContext }): AgentReport => ({
      ...agentOutput(context),
      decisions: context.work.decisions,
    }),
  } as const
}
