/** The guards and actions of a program, whose steps are its legs. */
import { assign, enqueueActions, type AnyEventObject, type Snapshot } from 'xstate'
import { AppendLog } from '../../actors/values/append-log.ts'
import { textAlone } from '../../actors/content/content.ts'
import { parsed } from '../../actors/text/json-in.ts'
import { isRecord } from '../../actors/values/json.ts'
import { noUsage } from '../../actors/usage.ts'
import { ConfigurationError } from '../../errors.ts'
import { closeStep } from '../loop/changes/close-step.ts'
import { settledCalls, type LoopChange, type LoopContext, type SettledCall } from '../loop/changes/context.ts'
import { takeReply } from '../loop/changes/record.ts'
import { createLoop } from '../loop/setup.ts'
import { applied } from '../shared/applied.ts'
import type { CallOutcome, EndedLeg, LegLogic, ProgramCall } from './leg.ts'

/** The legs that have ended. */
export interface ProgramWork {
  readonly legs: AppendLog<EndedLeg>
}

export const noLegs: ProgramWork = { legs: AppendLog.of() }

/** A placeholder: the definition of the agent provides the interpreter. */
export const noInterpreter: LegLogic = {
  getInitialSnapshot: () => {
    throw new ConfigurationError('The program has no interpreter: define its agent with codeMode.')
  },
  transition: (snapshot: Snapshot<unknown>, _event: AnyEventObject) => snapshot,
  getPersistedSnapshot: (snapshot: Snapshot<unknown>) => snapshot,
}

type Context = LoopContext<ProgramWork>

export const programSetup = /* @__PURE__ */ createLoop<ProgramWork, { readonly leg: LegLogic }>().extend({
  guards: {
    legEnds: (_, params: { isIt: boolean }) => params.isIt,
  },
  actions: {
    recordCalls: assign(({ context }, params: readonly ProgramCall[]) => takeCalls(context, params)),
    recordAnswer: assign(({ context }, params: string) => takeReply(context, replyOf(params, []))),
    /** Ends a step, and its leg with the outcomes of its calls. */
    closeStep: enqueueActions(({ enqueue, context }) => {
      applied(enqueue, closeStep(context))
      if (context.calls.length > 0) enqueue.assign({ work: withLeg(context) })
    }),
  },
})

function replyOf(text: string, calls: readonly ProgramCall[]) {
  const toolCalls = calls.map(({ name, args }) => ({ id: '', name, args }))
  const finishReason = calls.length === 0 ? ('stop' as const) : ('tool-calls' as const)
  return { text, toolCalls, finishReason, usage: noUsage }
}

/** The id of each call is made from its step and its place. */
function takeCalls(context: LoopContext, calls: readonly ProgramCall[]): LoopChange {
  return takeReply(context, replyOf('', calls))
}

function withLeg(context: Context): ProgramWork {
  const { calls, work } = context
  const settled = settledCalls(context)
  const ended = {
    calls: calls.map(({ call: { name, args } }) => ({ name, args })),
    outcomes: calls.map(({ child }) => outcomeOf(settled.get(child))),
  }
  return { legs: work.legs.append(ended) }
}

/** Of a call that has no error on record: it was cancelled. */
const unnamed = { name: 'ToolCallError', code: 'CANCELLED' }

/** A program reads of an error the words that a model would read. */
function outcomeOf(settled: SettledCall | undefined): CallOutcome {
  if (settled === undefined) return { error: { ...unnamed, message: 'The call was not carried out.' } }
  const { content, result } = settled
  const { outcome, value = null, error } = result
  if (outcome === 'succeeded' || outcome === 'background') return { value }
  const { name, code } = error ?? unnamed
  return { error: { name, code, message: wordsOf(content) } }
}

function wordsOf(content: SettledCall['content']): string {
  const text = textAlone(content)
  const given = parsed(text)?.value
  return isRecord(given) && typeof given['error'] === 'string' ? given['error'] : text
}
