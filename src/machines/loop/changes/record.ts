/** Records replies, reports and steps, as pure functions from context to change. */
import { below, childId, isChild } from '../../../actors/actor-path.ts'
import { AppendLog } from '../../../actors/values/append-log.ts'
import type { ModelReply } from '../../../actors/chat-model.ts'
import { canonicalJson } from '../../../actors/values/json.ts'
import { saysAnything, withOthers, type Content } from '../../../actors/content/content.ts'
import type { JudgedCall, Message, ToolCall } from '../../../actors/message.ts'
import type { Toolset } from '../../../actors/toolset/toolset.ts'
import { messageOf, unsigned, type SignedReply } from '../../../actors/messages/provider-data.ts'
import { addUsage, mergeUsage, noUsage, usageOf, type Usage } from '../../../actors/usage.ts'
import type { ErrorData } from '../../../errors.ts'
import type { ToolCallRecord, ToolResultRecord } from '../../contract/records.ts'
import { modelAt } from '../../contract/model-row.ts'
import type {
  BackgroundOutput,
  ScreeningOutput,
  CompletionOutput,
  DecisionOutput,
  DelegationOutput,
  Report,
} from '../../contract/reports.ts'
import type {
  LoopChange,
  Bail,
  Ledger,
  LoopContext,
  PendingCall,
  Repetition,
  SettledCall,
} from './context.ts'
import { measuredBy, recordCompaction, windowAfter } from './window.ts'
import { callOf, noAttempts, openVerdict, orNoAnswer, settledCalls } from './context.ts'
import { isBeyondCap, refusedCalls } from './call-cap.ts'
import { withoutChild } from './live.ts'
import { isHandoffCall, settledHandoffs } from './handoff-calls.ts'

export function beginStep(context: LoopContext): LoopChange {
  return {
    step: context.step + 1,
    drafts: context.drafts + 1,
    attempts: noAttempts,
    screening: undefined,
    reply: undefined,
    calls: [],
    started: 0,
    settled: AppendLog.of(),
    verdict: openVerdict,
  }
}

export function recordReply(context: LoopContext, reply: SignedReply): LoopChange {
  const measured = measuredBy(context, reply.usage)
  return {
    ...takeReply({ ...context, measured }, reply),
    attempts: answeredAttempts(context, reply),
    ledger: paid(context, reply.usage),
  }
}

/** The attempts of a step whose model call has succeeded. */
export function answeredAttempts(
  { attempts }: LoopContext,
  { called }: SignedReply,
): LoopContext['attempts'] {
  return { ...attempts, failures: 0, overflows: 0, answered: called?.model }
}

/** Adds a reply to the conversation, with its calls. */
export function takeReply(context: LoopContext, reply: SignedReply): LoopChange {
  const calls = pendingCalls(context, reply)
  return {
    reply: unsigned(reply),
    calls,
    settled: AppendLog.of([...settledHandoffs(context.input, calls), ...refusedCalls(context, calls)]),
    measured: { ...context.measured, repetition: repetitionOf(context, reply) },
    said: said(context, reply),
    messages: context.messages.append(
      messageOf(
        reply,
        reply.toolCalls.map((call, index) => named(call, calls[index]?.call.id)),
      ),
    ),
  }
}

/** What a final turn says where it may be the result: a refusal may not. */
function usableWords({ finishReason, text, files }: ModelReply): Pick<ModelReply, 'text' | 'files'> {
  const isRefusal = finishReason === 'refusal' || finishReason === 'content-filter'
  return isRefusal ? { text: '' } : { text, ...(files === undefined ? {} : { files }) }
}

/** Of a final turn, only the text and the usage count. */
export function recordFinalTurn(context: LoopContext, reply: SignedReply): LoopChange {
  return {
    attempts: { ...context.attempts, answered: reply.called?.model },
    ledger: paid(context, reply.usage),
    ...takeLastWord(context, reply),
  }
}

/** Makes the text of a final turn the result, where it may be one. */
export function takeLastWord(context: LoopContext, reply: ModelReply): LoopChange {
  return { reply: unsigned(reply), said: orNoAnswer(said(context, usableWords(reply))) }
}

/** Adds the usage of a model call, even if its reply is dropped. */
export function paid({ ledger, input }: LoopContext, spent: Usage): Ledger {
  const agent = input.profile.id
  const usage = addUsage(usageOf(ledger.usage, agent), spent)
  return { ...ledger, usage: { ...ledger.usage, [agent]: usage } }
}

function said(context: LoopContext, words: Pick<ModelReply, 'text' | 'files'>): LoopContext['said'] {
  if (!saysAnything(words)) return context.said
  const { text, files } = words
  const message = `${context.input.path}:${currentMessage(context)}`
  return { text, message, ...(files === undefined ? {} : { files }) }
}

/** The name of the present message: the same in events, deltas and results. */
export function currentMessage(context: LoopContext): string {
  return `m${context.drafts}`
}

/** Counts equal calls in a row, over steps; without `maxRepeatedCalls` it counts nothing. */
function repetitionOf(
  { measured: { repetition }, input }: LoopContext,
  { toolCalls }: ModelReply,
): Repetition {
  if (input.profile.maxRepeatedCalls === undefined) return repetition
  return toolCalls.reduce(
    ({ call, times, most }, { name, args, malformed }) => {
      const next = canonicalJson([name, malformed ?? args])
      const inARow = next === call ? times + 1 : 1
      return { call: next, times: inARow, most: Math.max(most, inARow) }
    },
    { ...repetition, most: 0 },
  )
}

export function isRepeatingItself({ calls, measured, input }: LoopContext): boolean {
  const { maxRepeatedCalls } = input.profile
  return maxRepeatedCalls !== undefined && calls.length > 0 && measured.repetition.most >= maxRepeatedCalls
}

/**
 * A model's own ids are not trusted to be unique; a call whose id is missing or repeated in its reply gets a new one.
 */
function pendingCalls({ step, input: { profile } }: LoopContext, reply: SignedReply): PendingCall[] {
  const seen = new Set<string>()
  return reply.toolCalls.map((call, index) => {
    const position = `${step}.${index + 1}`
    let id = call.id === '' || seen.has(call.id) ? `call-${step}-${index + 1}` : call.id
    while (seen.has(id)) id = `${id}-${index + 1}` // the model may have used this id too
    seen.add(id)
    const verdict = reply.verdicts?.[index] ?? undefined
    const judged = { ...call, id, ...(verdict === undefined ? {} : { verdict }) }
    const kind = isBeyondCap(profile, index) ? 'call' : kindOf(profile.toolset, judged)
    return { child: childId(kind, position), call: judged, isOfModel: true }
  })
}

function named(call: ToolCall, id = call.id): ToolCall {
  return id === call.id ? call : { ...call, id }
}

/** The kind of a call. An invalid call of a subagent is a failed call like any other. */
function kindOf(toolset: Toolset, call: JudgedCall): 'delegation' | 'handoff' | 'call' {
  if (isHandoffCall(toolset, call)) return 'handoff'
  return toolset.subagent(call.name) !== undefined && toolset.check(call).status === 'valid'
    ? 'delegation'
    : 'call'
}

/** Records the report of a child; the child is no longer live. */
export function recordReport(context: LoopContext, child: string, report: Report): LoopChange {
  const live = withoutChild(context.live, child)
  if (report.kind === 'completion') return { live, ...recordScoring(context, report) }
  if (report.kind === 'decision') return { live, ...recordDecision(context, report) }
  if (report.kind === 'compaction') return { live, ...recordCompaction(context, report) }
  if (report.kind === 'screening') return { live, verdict: { ...context.verdict, screening: report } }
  if (report.kind === 'delegation') return { live, ...recordDelegation(context, child, report) }
  return {
    live,
    ledger: withMade(context.ledger, report),
    settled: context.settled.append({
      child,
      result: resultOf(context, child, report),
      content: report.content,
      ...(report.args === undefined ? {} : { args: report.args }),
    }),
  }
}

/** A child that crashed, by a bug of the library, is a failed call like any other. */
export function recordCrash(context: LoopContext, child: string, error: ErrorData): LoopChange {
  return recordReport(context, child, crashReport(context, child, error))
}

/** The report on behalf of a crashed child. */
export function crashReport(context: LoopContext, child: string, error: ErrorData): Report {
  const { step } = context
  if (isChild(child, 'decision'))
    return { kind: 'decision', decision: 'failed', error, usage: noUsage, replies: 0 }
  if (isChild(child, 'compaction')) return { kind: 'compaction', outcome: 'failed', error, usage: noUsage }
  if (isChild(child, 'screening')) return unscreened(context, error)
  if (isChild(child, 'completion'))
    return { kind: 'completion', iteration: step, outcome: 'errored', results: [], feedback: '' }
  const content = JSON.stringify({ error: 'The call failed.' })
  return { kind: 'tool', outcome: 'failed', error, content }
}

/** No message of a person is read that was not checked. */
function unscreened({ background }: LoopContext, { code }: ErrorData): ScreeningOutput {
  const reason = `The message could not be checked: ${code}.`
  const screened = background.sayings.map(({ id }) => ({ id, outcome: 'refused', reason }) as const)
  return { kind: 'screening', screened }
}

/** Adds the usage of a decision and of the summaries that were written for it. */
function recordDecision(context: LoopContext, decision: DecisionOutput): LoopChange {
  return {
    ledger: paid(context, addUsage(decision.usage, decision.window?.usage ?? noUsage)),
    verdict: { ...context.verdict, decision },
    ...windowAfter(context, decision),
  }
}

function recordScoring(context: LoopContext, scoring: CompletionOutput): LoopChange {
  const { kind: _kind, feedback: _feedback, ...record } = scoring
  return {
    verdict: { ...context.verdict, scoring },
    ledger: { ...context.ledger, scores: [...context.ledger.scores, record] },
  }
}

function recordDelegation(context: LoopContext, child: string, report: DelegationOutput): LoopChange {
  const { record, content, feedback, args } = report
  const settled: SettledCall = {
    child,
    result: resultOf(context, child, {
      outcome: record.outcome,
      value: record.text,
      ...(record.error === undefined ? {} : { error: record.error }),
    }),
    content,
    ...(feedback === undefined ? {} : { feedback }),
    ...(args === undefined ? {} : { args }),
  }
  return { settled: context.settled.append(settled), ...countDelegation(context, report) }
}

/** Adds the files that a tool has made, here or below. */
export function withMade(ledger: Ledger, { made }: BackgroundOutput): Ledger {
  return made === undefined ? ledger : { ...ledger, made: withOthers(ledger.made, made) }
}

/** Records the outcome, the usage, the files and the bail of a delegation. */
export function countDelegation(context: LoopContext, report: DelegationOutput): LoopChange {
  const { ledger, bail } = context
  const { record, usage } = report
  return {
    ledger: {
      ...withMade(ledger, report),
      delegations: ledger.delegations.append(record),
      usage: mergeUsage(ledger.usage, usage),
    },
    bail: record.outcome === 'bailed' ? chooseBail(context, bailOf(report)) : bail,
  }
}

/** Under `first` the first bail counts; under `last` each bail replaces the one before. */
function chooseBail(context: LoopContext, bail: Bail): Bail {
  return context.input.profile.bailStrategy === 'first' && context.bail !== undefined ? context.bail : bail
}

function bailOf({ record, message }: DelegationOutput): Bail {
  if (record.error === undefined) {
    return {
      by: record.by ?? record.agent,
      text: record.text,
      ...(record.files === undefined ? {} : { files: record.files }),
      ...(message === undefined ? {} : { message }),
    }
  }
  return {
    by: record.by ?? record.agent,
    text: `The agent "${record.agent}" did not finish its task.`,
    error: record.error,
  }
}

function resultOf(
  context: LoopContext,
  child: string,
  { outcome, value, error }: Pick<ToolResultRecord, 'outcome' | 'value' | 'error'>,
): ToolResultRecord {
  const name = callOf(context, child)?.call.name ?? child
  return {
    id: below(context.input.path, child),
    name,
    outcome,
    ...(value === undefined ? {} : { value }),
    ...(error === undefined ? {} : { error }),
  }
}

/** Ends a step: results in the order of the calls, then the feedback of hooks. */
export function recordStep(context: LoopContext): LoopChange {
  const messages: Message[] = []
  const feedback: Message[] = []
  const toolResults: ToolResultRecord[] = []
  const outcomes = settledCalls(context)
  for (const { child, call } of context.calls) {
    const settled = outcomes.get(child)
    if (settled === undefined) continue
    messages.push({
      role: 'tool',
      toolCallId: call.id,
      toolName: call.name,
      content: settled.content,
      ...(settled.result.error === undefined ? {} : { isError: true }),
    })
    toolResults.push(settled.result)
    if (settled.feedback) feedback.push(feedbackMessage(settled.feedback))
  }
  const steps = context.ledger.steps.append({
    step: context.step,
    text: context.reply?.text ?? '',
    toolCalls: context.calls.map(({ child, call }) => ({
      id: below(context.input.path, child),
      name: call.name,
      ...argsOf(call, outcomes.get(child)),
    })),
    ...(context.reply?.sources === undefined ? {} : { sources: context.reply.sources }),
    ...(context.reply?.providerCalls === undefined ? {} : { providerCalls: context.reply.providerCalls }),
    toolResults,
    finishReason: context.reply?.finishReason ?? 'unknown',
    usage: context.reply?.usage ?? noUsage,
    ...answeredBy(context),
  })
  return {
    messages: context.messages.append(...messages, ...feedback),
    ledger: { ...context.ledger, steps },
  }
}

/** The model that has answered, for the record of a step: named where there is a choice. */
export function answeredBy({ input: { profile }, attempts, reply }: LoopContext): { model?: string } {
  if (profile.fallbacks === undefined || reply === undefined) return {}
  return { model: attempts.answered ?? modelAt(profile, attempts.fallen) }
}

/** As the model gave them, or as a person has changed them. */
function argsOf(call: ToolCall, settled: SettledCall | undefined): Pick<ToolCallRecord, 'args' | 'changed'> {
  return settled?.args === undefined ? { args: call.args } : { args: settled.args, changed: true }
}

/** Settles the calls that were not started when the time of the run was up. */
export function settleUnstarted(context: LoopContext, error: ErrorData): LoopChange {
  const { calls, settled, started, input } = context
  const known = settledCalls(context)
  const content = JSON.stringify({ error: 'Not carried out: the time of the run is up.' })
  const unstarted = calls
    .slice(started)
    .filter(({ child }) => !known.has(child))
    .map(({ child, call }): SettledCall => {
      const result = { id: below(input.path, child), name: call.name, outcome: 'cancelled', error } as const
      return { child, result, content }
    })
  return { started: calls.length, settled: settled.append(...unstarted) }
}

/** Feedback travels as a user message marked internal: system messages in mid-conversation are not portable. */
export function feedbackMessage(content: string): Message {
  return { role: 'user', content, internal: 'feedback' }
}

/** Sends back an answer that does not have the requested shape, with the problem. */
export function askForRepair(context: LoopContext, problem: string): LoopChange {
  const notice = `Your answer does not have the requested shape: ${problem}\nAnswer again, with the JSON value alone.`
  return {
    attempts: { ...context.attempts, repairs: context.attempts.repairs + 1 },
    drafts: context.drafts + 1,
    messages: context.messages.append(noticeMessage(notice)),
  }
}

export function scoringMessage(content: string): Message {
  return { role: 'user', content, internal: 'scoring' }
}

export function noticeMessage(content: Content): Message {
  return { role: 'user', content, internal: 'notice' }
}
