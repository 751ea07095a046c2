/** What a meta-router does beside the loop, by name. */
import { childId } from '../../actors/actor-path.ts'
import { assign, emit, enqueueActions } from 'xstate'
import type { EffectOutcome } from '../../actors/effect-kinds.ts'
import type { ErrorData } from '../../errors.ts'
import type { DelegationOutput } from '../delegation.ts'
import { event } from '../contract/events.ts'
import { delegationInput } from '../loop/changes/children.ts'
import type { LoopContext } from '../loop/changes/context.ts'
import { passOn } from '../loop/changes/child-ending.ts'
import type { Report } from '../loop/changes/record.ts'
import { loopSetup } from '../loop/setup.ts'
import { handedOn, taskOf } from '../loop/changes/task.ts'
import {
  candidates,
  framingOf,
  possibleTypes,
  recordConfig,
  recordConversation,
  recordNamedPattern,
  recordOnlyPattern,
  recordOnlyType,
  recordPattern,
  recordPatternFallback,
  recordType,
  recordTypeFallback,
  workOf,
} from './work.ts'

/** The one delegation that a meta-router makes. */
const dispatched = childId('delegation', '1.1')

export const metaRouterSetup = /* @__PURE__ */ loopSetup.extend({
  guards: {
    isNamed: ({ context }) => context.input.profile.route?.pattern !== undefined,
    goesOnWithConversation: ({ context }) => context.input.opening.history.length > 0,
    hasNoType: ({ context }) => possibleTypes(context).length === 0,
    hasOneType: ({ context }) => possibleTypes(context).length === 1,
    hasOnePattern: ({ context }) => candidates(context).length === 1,
  },
  actions: {
    recordConfig: assign(({ context }, params: EffectOutcome<'config'>) => recordConfig(context, params)),
    recordType: assign(({ context }, params: { value: unknown }) => recordType(context, params.value)),
    recordOnlyType: assign(({ context }) => recordOnlyType(context)),
    recordTypeFallback: assign(({ context }, params: { why: string }) =>
      recordTypeFallback(context, params.why),
    ),
    recordPattern: assign(({ context }, params: { value: unknown }) => recordPattern(context, params.value)),
    recordOnlyPattern: assign(({ context }) => recordOnlyPattern(context)),
    recordPatternFallback: assign(({ context }, params: { why: string }) =>
      recordPatternFallback(context, params.why),
    ),
    passOn: assign(({ context }, params: { report: Report }) =>
      passOn(context, params.report as DelegationOutput),
    ),
    recordNamedPattern: assign(({ context }) => recordNamedPattern(context)),
    recordConversation: assign(({ context }) => recordConversation(context)),
    announceFailure: emit((_, params: ErrorData) => event('error', { error: params, willRetry: false })),
    announcePattern: emit(({ context }) => selected(context)),
    dispatch: enqueueActions(({ enqueue, context }) => {
      const { pattern = '' } = workOf(context)
      const call = { id: dispatched, name: `agent-${pattern}`, args: { prompt: taskOf(context) } }
      const input = delegationInput(context, handedOn(dispatched, call))
      enqueue.spawnChild('delegation', { id: dispatched, input: { ...input, framing: framingOf(context) } })
      enqueue.assign({ live: { ...context.live, [dispatched]: 'running' } })
    }),
  },
})

function selected(context: LoopContext) {
  const { type, pattern = '', decisions } = workOf(context)
  const { signals } = context.input.profile.route ?? {}
  return event('pattern-selected', {
    ...(type === undefined ? {} : { taskType: type.name }),
    pattern,
    ...(type?.termination_criteria === undefined ? {} : { terminationCriteria: type.termination_criteria }),
    ...(signals === undefined ? {} : { signals }),
    decisions,
  })
}
