/** The guards and actions of a debate, beside those of every loop. */
import { assign, enqueueActions } from 'xstate'
import type { ErrorData } from '../../errors.ts'
import { stepFinished } from '../loop/changes/announce.ts'
import { askForFinalAnswer } from '../loop/changes/background.ts'
import { closeOpenStep, closeStep, type Closed } from '../loop/changes/close-step.ts'
import { recordReport } from '../loop/changes/record.ts'
import type { Report } from '../contract/reports.ts'
import { createLoop } from '../loop/setup.ts'
import {
  askForReconciliation,
  criticise,
  hasQuorum,
  mayCriticise,
  propose,
  recordPosition,
  recordProposerCrash,
  recordRound,
  withProposals,
  type DebateContext,
  type DebateWork,
} from './work.ts'
import { applied } from '../shared/applied.ts'

export const debateSetup = /* @__PURE__ */ createLoop<DebateWork>().extend({
  guards: {
    lacksQuorum: ({ context }) => !hasQuorum(context),
    mayCriticise: ({ context }) => mayCriticise(context),
  },
  actions: {
    propose: assign(({ context }) => propose(context)),
    criticise: assign(({ context }) => criticise(context)),
    recordReport: assign(({ context }, { child, report }: { child: string; report: Report }) =>
      report.kind === 'delegation'
        ? recordPosition(context, child, report)
        : recordReport(context, child, report),
    ),
    recordCrash: assign(({ context }, { child, error }: { child: string; error: ErrorData }) =>
      recordProposerCrash(context, child, error),
    ),
    closeStep: enqueueActions(({ enqueue, context }) => applied(enqueue, closeRoundOrStep(context))),
    closeOpenStep: enqueueActions(({ enqueue, context }) =>
      applied(enqueue, closeOpenStep(context, closeRoundOrStep)),
    ),
    cutOpenStep: enqueueActions(({ enqueue, context }) =>
      applied(enqueue, closeOpenStep(context, closeRound)),
    ),
    askForReconciliation: assign(({ context }) => askForReconciliation(context)),
    /** The final answer is made of the proposals too. */
    askForFinalAnswer: assign(({ context }) => {
      const change = withProposals(context)
      return { ...change, ...askForFinalAnswer({ ...context, ...change }) }
    }),
  },
})

/** A step without a reply is a round of proposals. */
function closeRoundOrStep(context: DebateContext): Closed {
  return context.reply === undefined ? closeRound(context) : closeStep(context)
}

function closeRound(context: DebateContext): Closed {
  const change = recordRound(context)
  return { change, events: [stepFinished({ ...context, ...change })] }
}
