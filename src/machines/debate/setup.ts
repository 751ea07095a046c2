/** What a debate does beside what every loop can, by name. */
import { assign } from 'xstate'
import type { ErrorData } from '../../errors.ts'
import type { DelegationReport } from '../loop/child-events.ts'
import { loopSetup } from '../loop/setup.ts'
import {
  askForReconciliation,
  criticise,
  hasQuorum,
  isProposal,
  mayCriticise,
  propose,
  recordProposal,
  recordProposerCrash,
  recordRound,
  recordSilence,
} from './work.ts'

export const debateSetup = /* @__PURE__ */ loopSetup.extend({
  guards: {
    lacksQuorum: ({ context }) => !hasQuorum(context),
    isProposal: (_, params: DelegationReport) => isProposal(params.report),
    mayCriticise: ({ context }) => mayCriticise(context),
  },
  actions: {
    propose: assign(({ context }) => propose(context)),
    criticise: assign(({ context }) => criticise(context)),
    recordProposal: assign(({ context }, params: DelegationReport) =>
      recordProposal(context, params.child, params.report),
    ),
    recordSilence: assign(({ context }, params: DelegationReport) =>
      recordSilence(context, params.child, params.report),
    ),
    recordProposerCrash: assign(({ context }, params: { child: string; error: ErrorData }) =>
      recordProposerCrash(context, params.child, params.error),
    ),
    recordRound: assign(({ context }) => recordRound(context)),
    askForReconciliation: assign(({ context }) => askForReconciliation(context)),
  },
})
