/** Input, context and output of a completion, and how results become an outcome. */
import type { CompletionOutput } from '../contract/reports.ts'
import type { AppendLog } from '../../actors/values/append-log.ts'
import type { Derived } from '../../actors/values/derived.ts'
import type { Message } from '../../actors/message.ts'
import type { CompletionProfile } from '../contract/profile.ts'
import type { LoopView } from '../contract/agent.ts'
import type { ScorerResult, ScoringRecord } from '../contract/records.ts'
import { aList, aLog, aNumber, aRecord, startedByAgents } from '../shared/chart-input.ts'
import { aBoolean, aText } from '../../actors/strict/checks.ts'
import { required } from '../../actors/strict/read-options.ts'

export interface CompletionInput {
  readonly agent: string
  readonly completion: CompletionProfile
  readonly hasCompleteHook: boolean
  /** Milliseconds that a user function may take. */
  readonly hookTimeout: number
  readonly task: string
  readonly answer: string
  readonly messages: AppendLog<Message>
  readonly iteration: number
  /** Results of scorers that have answered with no score in this run: they are not asked again. */
  readonly broken: readonly ScorerResult[]
  /** The agent whose work is scored, for its hook. */
  readonly loop: Derived<LoopView>
}

export interface CompletionContext extends CompletionInput {
  /** The scorer to start next. */
  readonly next: number
  /** By position; `undefined` while a scorer has not answered. */
  readonly results: readonly (ScorerResult | undefined)[]
}

const assertInput = /* @__PURE__ */ startedByAgents<CompletionInput>('completion', {
  agent: required(aText),
  completion: required(withScorers),
  hasCompleteHook: required(aBoolean),
  hookTimeout: required(aNumber),
  task: required(aText),
  answer: required(aText),
  messages: required(aLog),
  iteration: required(aNumber),
  broken: required(aList),
  loop: required(aRecord),
})

function withScorers(given: unknown, where: string): unknown {
  return aList((aRecord(given, where) as Partial<CompletionProfile>).scorers, `${where}.scorers`)
}

export function initialContext(input: CompletionInput): CompletionContext {
  assertInput(input)
  const results = input.completion.scorers.map((scorer) => input.broken.find(({ id }) => id === scorer.id))
  return { ...input, next: 0, results }
}

/** A scorer has answered with no score, which another answer of the model cannot mend. */
export function isBroken({ error }: ScorerResult): boolean {
  return error?.code === 'INVALID_SCORE'
}

/** The positions of the scorers that are still to be asked, from `next` on. */
export function toAsk({ results, next }: CompletionContext): readonly number[] {
  return results.flatMap((result, position) => (result === undefined && position >= next ? [position] : []))
}

export function scorerInput(context: CompletionContext, position: number) {
  return {
    agent: context.agent,
    scope: context.completion.scope,
    scorer: context.completion.scorers[position]?.id ?? '',
    task: context.task,
    answer: context.answer,
    iteration: context.iteration,
    messages: context.messages,
    ...scorerLimit(context, position),
  }
}

/** A scorer that may take as long as all of them together needs no deadline of its own. */
function scorerLimit({ completion, hookTimeout }: CompletionContext, position: number) {
  const timeout = completion.scorers[position]?.timeout ?? hookTimeout
  return timeout < completion.timeout ? { timeout } : {}
}

export function answered(context: CompletionContext): ScorerResult[] {
  return context.results.filter((result) => result !== undefined)
}

/**
 * `any` ends at the first pass, a sequential `all` at the first result that is no pass, any other completion with the
 * last result.
 */
export function isDecided(context: CompletionContext): boolean {
  const { strategy, parallel } = context.completion
  const results = answered(context)
  if (results.length === context.results.length) return true
  return strategy === 'any'
    ? results.some((result) => result.passed)
    : !parallel && results.some((result) => !result.passed)
}

/** `errored`: the answer has not passed, and might have without the errors. */
export function outcomeOf(context: CompletionContext): ScoringRecord['outcome'] {
  const results = answered(context)
  const { strategy } = context.completion
  if (strategy === 'any') {
    if (results.some((result) => result.passed)) return 'passed'
    return results.some((result) => result.error !== undefined) ? 'errored' : 'failed'
  }
  if (results.every((result) => result.passed)) return 'passed'
  return results.some((result) => !result.passed && result.error === undefined) ? 'failed' : 'errored'
}

export function completionOutput(
  context: CompletionContext,
  outcome: ScoringRecord['outcome'],
): CompletionOutput {
  const results = answered(context)
  return { kind: 'completion', iteration: context.iteration, outcome, results, feedback: feedback(results) }
}

/** The feedback leaves errors out: the model reads only that a scorer gave no score. */
function feedback(results: readonly ScorerResult[]): string {
  const unmet = results
    .filter((result) => !result.passed)
    .map((result) =>
      result.error === undefined
        ? `- ${result.id}: score ${result.score}${result.reason === undefined ? '' : `. ${result.reason}`}`
        : `- ${result.id}: could not be scored`,
    )
  return `The task is not complete yet. Unmet criteria:\n${unmet.join('\n')}\nImprove the answer accordingly.`
}

/** The result of a scorer that had not answered when the completion ended, or was not started. */
export function unanswered(
  context: CompletionContext,
  position: number,
  { code, reason }: { readonly code: string; readonly reason: string },
): ScorerResult {
  const id = context.completion.scorers[position]?.id ?? String(position)
  const error =
    position < context.next
      ? { name: 'ScorerError', code, message: reason }
      : { name: 'ScorerError', code: 'SCORER_NOT_STARTED', message: `Its turn did not come. ${reason}` }
  return { id, passed: false, error }
}
