/** The guards and actions of a dispatcher, whose ending is that of the chosen agent, workflow or tool. */
import { assign, enqueueActions } from 'xstate'
import type { ErrorData } from '../../errors.ts'
import { endingOf } from '../loop/changes/child-ending.ts'
import type { LoopChange, LoopContext } from '../loop/changes/context.ts'
import { recordCrash, recordReport } from '../loop/changes/record.ts'
import type { Report } from '../contract/reports.ts'
import { isChild } from '../../actors/actor-path.ts'
import { closeStepWithResult, selectionSetup } from '../selection/setup.ts'

export const dispatchSetup = /* @__PURE__ */ selectionSetup.extend({
  actions: {
    /** The object of the chosen agent is the dispatcher's. */
    closeCalls: enqueueActions(({ enqueue, context }) => {
      const { change, events } = closeStepWithResult(context)
      const { object } = context.said
      const { said = context.said } = change
      enqueue.assign({ ...change, ...(object === undefined ? {} : { said: { ...said, object } }) })
      for (const event of events) enqueue.emit(event)
    }),
    recordReport: assign(({ context }, { child, report }: { child: string; report: Report }) => ({
      ...recordReport(context, child, report),
      ...ending(context, child, report),
    })),
    recordCrash: assign(({ context }, { child, error }: { child: string; error: ErrorData }) => ({
      ...recordCrash(context, child, error),
      ...(isChild(child, 'decision') ? {} : { ending: { outcome: 'failed', error } as const }),
    })),
  },
})

/** A cancelled dispatcher stays cancelled: later reports change nothing. */
function ending(context: LoopContext, child: string, report: Report): LoopChange {
  if (isChild(child, 'decision') || context.ending.outcome === 'cancelled') return {}
  const object = report.kind === 'delegation' ? report.object : undefined
  return {
    ending: endingOf(report),
    ...(object === undefined ? {} : { said: { ...context.said, object } }),
  }
}
