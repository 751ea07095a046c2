/** The guards and actions of a meta-router, beside those of every loop. */
import { childId } from '../../actors/actor-path.ts'
import { assign, emit, enqueueActions } from 'xstate'
import type { EffectOutcome } from '../../actors/effects/effect-kinds.ts'
import type { ErrorData } from '../../errors.ts'
import { event } from '../contract/events.ts'
import { delegationInput } from '../loop/changes/children.ts'
import type { LoopChange, PendingCall } from '../loop/changes/context.ts'
import { endingOf, passOn } from '../loop/changes/child-ending.ts'
import { withRunning } from '../loop/changes/live.ts'
import { crashReport, recordReport } from '../loop/changes/record.ts'
import type { Report } from '../contract/reports.ts'
import { createLoop } from '../loop/setup.ts'
import { taskCall, taskOf } from '../loop/changes/task.ts'
import {
  candidates,
  framingOf,
  namedType,
  possibleTypes,
  recordConfig,
  recordConversation,
  recordNamedPattern,
  recordNamedType,
  recordOnlyPattern,
  recordOnlyType,
  recordPattern,
  recordPatternFallback,
  recordType,
  recordTypeFallback,
  settingsOf,
  type RouteContext,
  type RouteWork,
} from './work.ts'

/** The one delegation that a meta-router makes. */
const dispatched = childId('delegation', '1.1')

export const metaRouterSetup = /* @__PURE__ */ createLoop<RouteWork>().extend({
  guards: {
    namesType: ({ context }) => context.input.profile.route?.taskType !== undefined,
    namesKnownType: ({ context }) => namedType(context) !== undefined,
    namesPattern: ({ context }) => context.input.profile.route?.pattern !== undefined,
    continuesConversation: ({ context }) => context.input.opening.history.length > 0,
    hasNoType: ({ context }) => possibleTypes(context).length === 0,
    hasOneType: ({ context }) => possibleTypes(context).length === 1,
    hasOnePattern: ({ context }) => candidates(context).length === 1,
  },
  actions: {
    recordConfig: assign(({ context }, params: EffectOutcome<'config'>) => recordConfig(context, params)),
    recordType: assign(({ context }, params: { value: unknown }) => recordType(context, params.value)),
    recordNamedType: assign(({ context }) => recordNamedType(context)),
    recordOnlyType: assign(({ context }) => recordOnlyType(context)),
    recordTypeFallback: assign(({ context }, params: { why: string }) =>
      recordTypeFallback(context, params.why),
    ),
    recordPattern: assign(({ context }, params: { value: unknown }) => recordPattern(context, params.value)),
    recordOnlyPattern: assign(({ context }) => recordOnlyPattern(context)),
    recordPatternFallback: assign(({ context }, params: { why: string }) =>
      recordPatternFallback(context, params.why),
    ),
    recordEnding: assign(({ context }, { child, report }: { child: string; report: Report }) =>
      recordEnding(context, child, report),
    ),
    recordCrashEnding: assign(({ context }, { child, error }: { child: string; error: ErrorData }) =>
      recordEnding(context, child, crashReport(context, child, error)),
    ),
    /** The answer of the child is the answer: there is no step of the meta-router's own. */
    closeStep: assign({}),
    recordNamedPattern: assign(({ context }) => recordNamedPattern(context)),
    recordConversation: assign(({ context }) => recordConversation(context)),
    announcePattern: emit(({ context }) => selected(context)),
    dispatch: assign(({ context }) => ({ calls: [dispatchOf(context)] })),
    startCalls: enqueueActions(({ enqueue, context }) => {
      const input = delegationInput(context, dispatchOf(context))
      const settings = settingsOf(context)
      enqueue.spawnChild('delegation', {
        id: dispatched,
        input: { ...input, framing: framingOf(context), ...(settings === undefined ? {} : { settings }) },
      })
      enqueue.assign({ live: withRunning(context.live, [dispatched]), started: 1 })
    }),
  },
})

/** The ending of the pattern's agent is that of the meta-router. */
function recordEnding(context: RouteContext, child: string, report: Report): LoopChange {
  const change = recordReport(context, child, report)
  if (report.kind === 'delegation') return { ...change, ...passOn(context, report) }
  return { ...change, ending: endingOf(report) }
}

/** The whole task, for the agent of the pattern. */
function dispatchOf(context: RouteContext): PendingCall {
  const { pattern = '' } = context.work
  const call = { id: dispatched, name: `agent-${pattern}`, args: { prompt: taskOf(context) } }
  return taskCall(dispatched, call)
}

function selected(context: RouteContext) {
  const { type, pattern = '', decisions } = context.work
  const { signals } = context.input.profile.route ?? {}
  return event('pattern-selected', {
    ...(type === undefined ? {} : { taskType: type.name }),
    pattern,
    ...(type?.termination_criteria === undefined ? {} : { terminationCriteria: type.termination_criteria }),
    ...(signals === undefined ? {} : { signals }),
    decisions,
  })
}
