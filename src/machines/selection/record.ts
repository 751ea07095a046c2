/** Records the decisions and results of a routing agent, as pure functions from context to change. */
import { filesOf, saysAnything, textAlone, withFiles, type Content } from '../../actors/content/content.ts'
import { isChild } from '../../actors/actor-path.ts'
import type { ModelReply } from '../../actors/chat-model.ts'
import type { CallVerdicts } from '../../actors/message.ts'
import type { SignedReply } from '../../actors/messages/provider-data.ts'
import { noUsage, type Usage } from '../../actors/usage.ts'
import type { Primitive } from '../contract/events.ts'
import { type LoopChange, isSaid, settledCall, type LoopContext } from '../loop/changes/context.ts'
import { answerFiles } from '../loop/changes/child-ending.ts'
import { takeReply } from '../loop/changes/record.ts'
import { taskCall, taskOf } from '../loop/changes/task.ts'
import { callOf, type RoutingDecision } from './routing-decision.ts'

/** A decision, with how it came about. */
export interface Choice {
  readonly decision: RoutingDecision
  readonly candidates: readonly Primitive[]
  readonly criterion: 'model' | 'onlyCandidate'
  /** An agent is given the task unchanged. */
  readonly handsOver: boolean
  readonly usage: Usage
  /** Of the call that the decision makes, where it is on record. */
  readonly verdicts?: CallVerdicts | undefined
}

/** An answer of a given shape, or one that output processors check, is written in a model call of its own. */
export function writesAnswer({ input: { profile } }: LoopContext): boolean {
  return profile.responseFormat !== undefined || profile.hooks.processOutput !== undefined
}

/** The result of the last step, with its files; `undefined`: there is none. */
export function lastResult({ ledger, said }: LoopContext): Pick<ModelReply, 'text' | 'files'> | undefined {
  const text = ledger.steps.at(-1)?.text ?? ''
  // The result of a step is what was said last, and no message of the agent yet.
  const isSaidLast = ledger.steps.length > 0 && said.message === undefined && said.text === text
  const result = { text, ...(isSaidLast && said.files !== undefined ? { files: said.files } : {}) }
  return saysAnything(result) ? result : undefined
}

/** The choice of the only candidate. */
export function onlyChoice(context: LoopContext): Choice {
  const [key = ''] = context.input.profile.toolset.subagents.keys()
  const candidate = { primitiveId: key, primitiveType: 'agent' as const }
  return {
    decision: { ...candidate, prompt: taskOf(context), selectionReason: 'It is the only one on offer.' },
    candidates: [candidate],
    criterion: 'onlyCandidate',
    handsOver: true,
    usage: noUsage,
  }
}

/** Records a decision as a reply with one call, or as the answer. */
export function takeDecision(
  context: LoopContext,
  { decision, handsOver, usage, verdicts }: Choice,
): LoopChange {
  const call = callOf(decision, `route-${context.step}`)
  const last = decision.prompt.trim() === '' ? (lastResult(context) ?? { text: '' }) : undefined
  const reply: SignedReply = {
    ...(call === undefined ? (last ?? { text: decision.prompt }) : { text: '' }),
    toolCalls: call === undefined ? [] : [call],
    finishReason: call === undefined ? 'stop' : 'tool-calls',
    usage,
    ...(verdicts && { verdicts }),
  }
  const change = takeReply(context, reply)
  if (!handsOver || decision.primitiveType !== 'agent') return change
  return { ...change, calls: change.calls?.map(({ child, call }) => taskCall(child, call)) ?? [] }
}

/** Makes the result of the chosen primitive the text of the step, and the result of a run that ends with it. */
export function takeResult(context: LoopContext): LoopChange {
  const content = resultContent(context)
  const text = textAlone(content)
  const files = filesOf(content)
  return {
    ...(context.reply === undefined ? {} : { reply: { ...context.reply, text } }),
    ...(saysAnything({ text, files })
      ? { said: { text, message: undefined, ...(files.length === 0 ? {} : { files }) } }
      : {}),
  }
}

function resultContent(context: LoopContext): Content {
  const { calls, input, ledger } = context
  const { result, content } = settledCall(context, calls[0]?.child ?? '') ?? {}
  const isDelegation = isChild(calls[0]?.child ?? '', 'delegation')
  const whole = typeof result?.value === 'string' ? result.value : ''
  const record = ledger.delegations.toArray().findLast(({ id }) => id === result?.id)
  const files = answerFiles(content ?? '', record)
  switch (result?.outcome) {
    case 'succeeded': {
      const isWrapped = isDelegation && input.profile.delegation.includeSubAgentToolResultsInModelContext
      return withFiles(isWrapped ? whole : textAlone(content ?? ''), files)
    }
    case 'bailed':
      return withFiles(whole, files)
    case 'exhausted':
      return isSaid({ text: whole, files }) ? withFiles(whole, files) : ''
    default:
      return ''
  }
}
