/** The guards and actions of a dispatcher, whose ending is that of the chosen agent, workflow or tool. */
import { assign, enqueueActions } from 'xstate'
import type { ErrorData } from '../../errors.ts'
import { endingOf } from '../loop/changes/child-ending.ts'
import type { LoopChange, LoopContext } from '../loop/changes/context.ts'
import { crashReport, recordReport } from '../loop/changes/record.ts'
import type { Report } from '../contract/reports.ts'
import { closeStepWithResult, selectionSetup } from '../selection/setup.ts'
import { applied } from '../shared/applied.ts'

export const dispatchSetup = /* @__PURE__ */ selectionSetup.extend({
  actions: {
    /** The object of the chosen agent is the dispatcher's. */
    closeStep: enqueueActions(({ enqueue, context }) => {
      const { change, events } = closeStepWithResult(context)
      const { object } = context.said
      const { said = context.said } = change
      const kept = object === undefined ? {} : { said: { ...said, object } }
      applied(enqueue, { change: { ...change, ...kept }, events })
    }),
    recordEnding: assign(({ context }, { child, report }: { child: string; report: Report }) =>
      recordEnding(context, child, report),
    ),
    recordCrashEnding: assign(({ context }, { child, error }: { child: string; error: ErrorData }) =>
      recordEnding(context, child, crashReport(context, child, error)),
    ),
  },
})

/** The ending of the chosen one is that of the dispatcher. */
function recordEnding(context: LoopContext, child: string, report: Report): LoopChange {
  const change = recordReport(context, child, report)
  const object = report.kind === 'delegation' ? report.object : undefined
  return {
    ...change,
    ending: endingOf(report),
    ...(object === undefined ? {} : { said: { ...context.said, object } }),
  }
}
