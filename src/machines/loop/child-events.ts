/** What is read off the report of a child: parameters of the actions that take it down. */
import type { DelegationOutput } from '../delegation.ts'
import { failure } from '../shared/params.ts'
import { decided, undecided } from './changes/decision-input.ts'
import type { Report } from './changes/record.ts'

export interface Reported {
  readonly event: { readonly actorId: string; readonly output: Report }
}

export interface DelegationReport {
  readonly child: string
  readonly report: DelegationOutput
}

export interface Crashed {
  readonly event: { readonly actorId: string; readonly error: unknown }
}

export const reportOf = ({ event }: Reported) => ({ child: event.actorId, report: event.output })

export const childOf = ({ event }: { event: { readonly actorId: string } }) => ({ child: event.actorId })

export const crashOf = ({ event }: Crashed) => ({ child: event.actorId, error: failure({ event }) })

/** Where all children are delegations. */
export const delegationReportOf = ({ event }: Reported): DelegationReport => ({
  child: event.actorId,
  report: event.output as DelegationOutput,
})

const backgroundOutcomeOf = ({ event }: Reported) => ({
  child: event.actorId,
  outcome: delegationReportOf({ event }).report.record.outcome,
})

const failedInBackground = ({ event }: Crashed) => ({ child: event.actorId, outcome: 'failed' as const })

/** The value of a decision that was made. */
export const valueOf = ({ event }: Reported) => ({ value: decided({ event }) })

/** Why a decision was not made. */
export const problemOf = ({ event }: Reported) => undecided({ event })

/** A report is on record, and the child that made it is gone. */
export const takenDown = [
  { type: 'recordReport', params: reportOf },
  { type: 'reap', params: childOf },
] as const

/** As `takenDown`, of a child that broke. */
export const crashTakenDown = [
  { type: 'recordCrash', params: crashOf },
  { type: 'reap', params: childOf },
] as const

/** As `takenDown`, of a delegation in the background: its end is an event, and news for the model. */
export const takenDownInBackground = [
  { type: 'announceBackgroundEnd', params: backgroundOutcomeOf },
  { type: 'recordBackgroundReport', params: delegationReportOf },
  { type: 'reap', params: childOf },
] as const

/** As `takenDownInBackground`, of a child that broke. */
export const crashTakenDownInBackground = [
  { type: 'announceError', params: failure },
  { type: 'announceBackgroundEnd', params: failedInBackground },
  { type: 'recordBackgroundCrash', params: crashOf },
  { type: 'reap', params: childOf },
] as const
