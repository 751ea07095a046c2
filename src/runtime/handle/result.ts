/** The result of a run, at its end or its suspension. */
import type {
  AgentOutput,
  DecisionRecord,
  DelegationRecord,
  ScoringRecord,
  StepRecord,
  ToolResultRecord,
  AgentParts,
  HandoffRecord,
  ExhaustedReason,
  StoppedReason,
} from '../../machines/contract/records.ts'
import { withNested } from '../../machines/contract/nested-results.ts'
import type { Saying } from '../../machines/contract/sayings.ts'
import type { PlanRecord } from '../../machines/contract/plan.ts'
import type { AwaitedSignal } from '../../machines/contract/events.ts'
import type { FilePart } from '../../actors/content/content.ts'
import type { Usage, UsageByAgent } from '../../actors/usage.ts'
import type { ErrorData } from '../../errors.ts'
import type { EffectKind } from '../../actors/effects/effect-names.ts'

/** A delegation in the result of a run. */
export interface DelegationResult extends DelegationRecord {
  /** Milliseconds from its start to its end; 0 when the subagent never ran. */
  readonly duration: number
  /** The version of the subagent, if it has one. */
  readonly version?: string
}

/** An error of a run of any outcome. */
export interface RunError {
  /** Ids of the actors from the root agent to the one in which the error arose, joined with "/". */
  readonly path: string
  /** The id of the agent. */
  readonly agent: string
  readonly error: ErrorData
  /** The kind of effect that failed. Absent where a chart found the error, for example that a deadline has passed. */
  readonly effect?: { readonly kind: EffectKind }
}

/** What results of every outcome have. */
export interface Common<Result extends ToolResultRecord = ToolResultRecord> {
  readonly runId: string
  /** The version of the root agent, if it has one. */
  readonly version?: string
  /** The thread that the run began with; absent where its agent has no memory and was given none. */
  readonly threadId?: string
  /** The final answer alone, not the drafts. */
  readonly text: string
  /**
   * The files of the final answer; absent without any. Their bytes: `troupe.blobs.get(ref)`. Of an agent without a troupe
   * they have their bytes as `data`.
   */
  readonly files?: readonly FilePart[]
  readonly delegations: readonly DelegationResult[]
  readonly scores: readonly ScoringRecord[]
  readonly steps: readonly StepRecord<Result>[]
  /** Of a meta-router: for each choice the candidates, the one taken, and the reason. */
  readonly decisions?: readonly DecisionRecord[]
  /**
   * Every error of the run and of all agents below it, in the order of the journal, also of a run that completed, and
   * of attempts that were retried.
   */
  readonly errors: readonly RunError[]
  /** Tokens of the whole tree, retries included. */
  readonly usage: Usage & { readonly byAgent: UsageByAgent }
  /** Of a planner that has made one: its steps and their outcomes. */
  readonly plan?: PlanRecord
  /** The tool state of the agent at the end, with which a next run may begin; absent if it was never in any. */
  readonly toolState?: string
  /** The agent whose outcome it is, where the run began with another one: the last of the handoff chain. */
  readonly by?: string
  /** The handoffs of the conversation, in order. Absent where there was none. */
  readonly handoffs?: readonly HandoffRecord[]
  /** Under `keepPartial`: the text so far of the answer that the end has cut. Absent without any. */
  readonly partialText?: string
  /** Messages of `run.say` that the run took and no model has read. Absent without any. */
  readonly unheard?: readonly Saying[]
}

/**
 * The end of a run. `Object` is the type of an answer under `structuredOutput`, `undefined` without that option; `Result` is
 * the type of the results of its calls.
 */
export type FinalResult<
  Object = unknown,
  Result extends ToolResultRecord = ToolResultRecord,
> = Common<Result> &
  (
    | { readonly outcome: 'completed'; readonly object: Object }
    | { readonly outcome: 'bailed'; readonly by: string; readonly error?: ErrorData }
    | { readonly outcome: 'exhausted'; readonly reason: ExhaustedReason; readonly error?: ErrorData }
    | { readonly outcome: 'stopped'; readonly reason: StoppedReason }
    | { readonly outcome: 'tripped'; readonly reason: string }
    | { readonly outcome: 'failed'; readonly error: ErrorData }
    | { readonly outcome: 'cancelled'; readonly reason: string }
  )

/** A run that only a person can continue: its results so far, and the awaited signals. */
export interface SuspendedResult<Result extends ToolResultRecord = ToolResultRecord> extends Common<Result> {
  readonly outcome: 'suspended'
  /** Answer each with `run.approve`, `run.deny` or `run.resume`. */
  readonly awaiting: readonly AwaitedSignal[]
}

/** The end of a run, or its suspension, discriminated by `outcome`. */
export type RunResult<Object = unknown, Result extends ToolResultRecord = ToolResultRecord> =
  FinalResult<Object, Result> | SuspendedResult<Result>

/** Facts of a run that only the runtime knows. */
export interface RunFacts {
  /** The id of the root agent. */
  readonly agent: string
  readonly threadId: string | undefined
  readonly errors: readonly RunError[]
  readonly durationOf: (delegationId: string) => number
  readonly versionOf: (agentId: string) => string | undefined
  /** Of a fork: the thread that its agents name so. Absent: the name. */
  readonly threadNamed?: ((name: string) => string) | undefined
}

/** A record of work, with the threads of it and of all work below it as the store knows them. */
export function withThreads<Work extends Pick<ToolResultRecord, 'threadId' | 'toolResults'>>(
  work: Work,
  threadNamed: RunFacts['threadNamed'],
): Work {
  const { threadId, toolResults } = work
  if (threadNamed === undefined || (threadId === undefined && toolResults === undefined)) return work
  return {
    ...work,
    ...(threadId === undefined ? {} : { threadId: threadNamed(threadId) }),
    ...(toolResults === undefined
      ? {}
      : { toolResults: toolResults.map((result) => withThreads(result, threadNamed)) }),
  }
}

function stepsOf(output: AgentParts, threadNamed: RunFacts['threadNamed']): readonly StepRecord[] {
  const steps = withNested(output)
  if (threadNamed === undefined) return steps
  return steps.map((step) => ({
    ...step,
    toolResults: step.toolResults.map((result) => withThreads(result, threadNamed)),
  }))
}

/** The part of a result that exists before the end: it has no answer yet. */
export function partialResult(
  runId: string,
  output: AgentParts,
  usage: Common['usage'],
  { agent, threadId, errors, durationOf, versionOf, threadNamed }: RunFacts,
): Common {
  const versionIn = (id: string): { readonly version?: string } => {
    const version = versionOf(id)
    return version === undefined ? {} : { version }
  }
  return {
    runId,
    ...versionIn(agent),
    ...(threadId === undefined ? {} : { threadId }),
    text: '',
    delegations: output.delegations.map((record) => ({
      ...withThreads(record, threadNamed),
      duration: durationOf(record.id),
      ...versionIn(record.agent),
    })),
    scores: output.scores,
    steps: stepsOf(output, threadNamed),
    ...(output.decisions === undefined ? {} : { decisions: output.decisions }),
    errors,
    usage,
    ...(output.plan === undefined ? {} : { plan: output.plan }),
    ...(output.toolState === undefined ? {} : { toolState: output.toolState }),
    ...(output.by === undefined ? {} : { by: output.by }),
    ...(output.partialText === undefined ? {} : { partialText: output.partialText }),
    ...(output.handoffs === undefined ? {} : { handoffs: output.handoffs }),
  }
}

export function finalResult(
  runId: string,
  output: AgentOutput,
  usage: Common['usage'],
  facts: RunFacts,
): FinalResult {
  const answer = { text: output.text, ...(output.files === undefined ? {} : { files: output.files }) }
  const { unheard } = output
  const common = {
    ...partialResult(runId, output, usage, facts),
    ...answer,
    ...(unheard === undefined ? {} : { unheard }),
  }
  const reason = output.reason ?? 'unknown'
  switch (output.outcome) {
    case 'completed':
      return { ...common, outcome: 'completed', object: output.object }
    case 'bailed':
      return {
        ...common,
        outcome: 'bailed',
        by: output.by ?? 'unknown',
        ...(output.error === undefined ? {} : { error: output.error }),
      }
    case 'exhausted':
      return {
        ...common,
        outcome: 'exhausted',
        reason,
        ...(output.error === undefined ? {} : { error: output.error }),
      }
    case 'failed':
      return { ...common, outcome: 'failed', error: output.error ?? noError }
    case 'stopped':
    case 'tripped':
    case 'cancelled':
      return { ...common, outcome: output.outcome, reason }
  }
}

const noError: ErrorData = { name: 'Error', code: 'UNKNOWN', message: 'The run failed.' }
