/** Records the reports of children at the root of a chart, in whichever state it is. */
import type { BackgroundOutput, Report } from '../contract/reports.ts'
import { failure } from '../shared/params.ts'
import { optionalArrow } from '../shared/arrow.ts'

export interface Reported {
  readonly event: { readonly actorId: string; readonly output: Report }
}

export interface BackgroundReport {
  readonly child: string
  readonly report: BackgroundOutput
}

export interface Crashed {
  readonly event: { readonly actorId: string; readonly error: unknown }
}

const reportOf = ({ event }: Reported) => ({ child: event.actorId, report: event.output })

const childOf = ({ event }: { event: { readonly actorId: string } }) => ({ child: event.actorId })

const crashOf = ({ event }: Crashed) => ({ child: event.actorId, error: failure({ event }) })

/** Where all children are tool calls and delegations. */
const backgroundReportOf = ({ event }: Reported): BackgroundReport => ({
  child: event.actorId,
  report: event.output as BackgroundOutput,
})

const backgroundOutcomeOf = ({ event }: Reported) => {
  const { child, report } = backgroundReportOf({ event })
  return { child, outcome: report.kind === 'tool' ? report.outcome : report.record.outcome }
}

const failedInBackground = ({ event }: Crashed) => ({ child: event.actorId, outcome: 'failed' as const })

const reap = { type: 'reap', params: childOf } as const

/** Records the report, and stops the child. */
const recorded = [{ type: 'recordReport', params: reportOf }, reap] as const

/** As `recorded`, of a child that crashed. */
const crashRecorded = [{ type: 'recordCrash', params: crashOf }, reap] as const

/** As `recorded`, of a child in the background: its end is an event, and a notice for the model. */
const recordedInBackground = [
  { type: 'announceBackgroundEnd', params: backgroundOutcomeOf },
  { type: 'recordBackgroundReport', params: backgroundReportOf },
  reap,
] as const

/** As `recordedInBackground`, of a child that crashed. */
const crashRecordedInBackground = [
  { type: 'announceError', params: failure },
  { type: 'announceBackgroundEnd', params: failedInBackground },
  { type: 'recordBackgroundCrash', params: crashOf },
  reap,
] as const

const isAwaited = { type: 'isAwaited', params: childOf } as const
const isBackground = { type: 'isBackground', params: childOf } as const

/** Reports of children, for the root of a chart: the `always` of its states decides what follows. */
export const reports = {
  'xstate.done.actor.*': { guard: isAwaited, actions: recorded },
  'xstate.error.actor.*': { guard: isAwaited, actions: crashRecorded },
} as const

/** As `reports`, for a state in which the report of the only child is the ending of the agent. */
export const endings = {
  'xstate.done.actor.*': { guard: isAwaited, actions: [{ type: 'recordEnding', params: reportOf }, reap] },
  'xstate.error.actor.*': {
    guard: isAwaited,
    actions: [{ type: 'recordCrashEnding', params: crashOf }, reap],
  },
} as const

/** As `reports`, of a chart with work in the background. A delegation there may bail until it is asked to end. */
export function reportsWithBackground(to: { readonly bailed?: string }) {
  return {
    'xstate.done.actor.*': [
      reports['xstate.done.actor.*'],
      ...optionalArrow({ type: 'bailsInBackground', params: reportOf } as const, to.bailed, [
        'abortEffects',
        ...recordedInBackground,
      ] as const),
      { guard: isBackground, actions: [...recordedInBackground, 'startInBackground'] },
    ],
    'xstate.error.actor.*': [
      reports['xstate.error.actor.*'],
      { guard: isBackground, actions: [...crashRecordedInBackground, 'startInBackground'] },
    ],
  } as const
}

export interface Held {
  readonly event: { readonly type: string; readonly child: string }
}

export const recordHeld = {
  type: 'recordHeld',
  params: ({ event }: Held) => ({ child: event.child, isHeld: event.type === 'child.held' }),
} as const

/** A child waits for a signal, or no longer does; for the root of a chart. */
export const holds = { 'child.*': { actions: recordHeld } } as const

/** As `holds`, of a chart with work in the background: a child that is held gives up its place there too. */
export const holdsInBackground = { 'child.*': { actions: [recordHeld, 'startInBackground'] } } as const
