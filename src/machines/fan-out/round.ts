/**
 * A round of a fan-out: its goals, registered before the first of them is delegated, and their completions, by the id
 * of the child. No list is copied for each report, so the cost per child does not grow with their number.
 */
import { filesOf, textOf, withFiles, type FilePart } from '../../actors/content/content.ts'
import { below, childId } from '../../actors/actor-path.ts'
import type { CallVerdicts } from '../../actors/message.ts'
import { AppendLog } from '../../actors/values/append-log.ts'
import { noUsage, type Usage } from '../../actors/usage.ts'
import type { DelegationOutcome, DelegationRecord, StepRecord } from '../contract/records.ts'
import type { DelegationOutput } from '../contract/reports.ts'
import { judged } from '../decision/parse-decision.ts'
import { delegationTimeout } from '../delegation/context.ts'
import type { LoopContext, PendingCall } from '../loop/changes/context.ts'
import { withoutChild } from '../loop/changes/live.ts'
import {
  beginStep,
  countDelegation,
  feedbackMessage,
  noticeMessage,
  recordCrash,
} from '../loop/changes/record.ts'
import type { ErrorData } from '../../errors.ts'
import { callOf, type Goal } from './goals.ts'

export type FanOutContext = LoopContext<FanOutWork>

type Change = Partial<FanOutContext>

/** The outcome of a goal: a failure and a timeout are completions like any other. */
export interface Completion {
  readonly child: string
  readonly outcome: DelegationOutcome
  /** The result as the model reads it. */
  readonly content: string
  /** The files in its result. */
  readonly files?: readonly FilePart[]
  readonly text: string
  readonly error?: ErrorData
  readonly feedback?: string
}

export interface FanOutWork {
  /** Rounds so far. */
  readonly round: number
  /** The goals of the present round; the child of each is the call at the same place. */
  readonly goals: readonly Goal[]
  readonly completions: AppendLog<Completion>
  /** The usage of the decision that led to the present round. */
  readonly spent: Usage
  /** The goals of the next round, not yet registered. */
  readonly next: NextRound
}

/** What a decision leads to. */
export interface NextRound {
  readonly goals: readonly Goal[]
  readonly spent: Usage
  /** Of the delegations, where they are on record. */
  readonly verdicts?: CallVerdicts | undefined
}

const nothingNext: NextRound = { goals: [], spent: noUsage }

export const firstWork: FanOutWork = {
  round: 0,
  goals: [],
  completions: AppendLog.of(),
  spent: noUsage,
  next: nothingNext,
}

export function goalTimeoutOf({ input }: FanOutContext): number {
  return input.profile.caps.goalTimeout
}

/** Whether another round is allowed: there must be a step left for the answer too. */
export function hasRoundLeft(context: FanOutContext): boolean {
  const { maxRounds } = context.input.profile.caps
  return context.work.round < maxRounds && context.step + 1 < context.input.maxSteps
}

export function planRound(context: FanOutContext, next: NextRound): Change {
  return { work: { ...context.work, next } }
}

/** Registers the children of the next round: a round is a step of the agent. */
export function openRound(context: FanOutContext): Change {
  const { round, next } = context.work
  const { goals, spent, verdicts } = next
  const step = context.step + 1
  const calls = goals.map((goal, index): PendingCall => {
    const position = `${step}.${index + 1}`
    return {
      child: childId('delegation', position),
      call: judged({ ...callOf(goal), id: `goal-${position}` }, verdicts, index),
      ...(goal.toolGroups === undefined ? {} : { toolGroups: goal.toolGroups }),
    }
  })
  const work: FanOutWork = {
    goals,
    spent,
    round: round + 1,
    completions: AppendLog.of(),
    next: nothingNext,
  }
  return { ...beginStep(context), calls, work }
}

/** Records the completion of a child that is awaited. */
export function recordGoal(context: FanOutContext, child: string, report: DelegationOutput): Change {
  return {
    live: withoutChild(context.live, child),
    ...countDelegation(context, report),
    work: withCompletions(context, [completionOf(child, report)]),
  }
}

/** Records a delegation that crashed, by a bug of the library. */
export function recordGoalCrash(context: FanOutContext, child: string, error: ErrorData): Change {
  const { settled: _settled, ...change } = recordCrash(context, child, error)
  const content = JSON.stringify({ error: 'The agent failed.' })
  return {
    ...change,
    work: withCompletions(context, [{ child, outcome: 'failed', content, text: '', error }]),
  }
}

/** Ends the goals that were waiting for a place when the time was up: their agents are not started. */
export function timeOutQueued(context: FanOutContext): Change {
  return unstarted(context, 'timedOut', (agent) => delegationTimeout(agent, goalTimeoutOf(context)))
}

/** As `timeOutQueued`, when the time of the run is up. */
export function dropQueued(context: FanOutContext, error: ErrorData): Change {
  return unstarted(context, 'exhausted', () => error)
}

function unstarted(
  context: FanOutContext,
  outcome: DelegationOutcome,
  errorOf: (agent: string) => ErrorData,
): Change {
  const queued = context.calls.slice(context.started)
  const records = queued.map(({ child, call }): DelegationRecord => {
    const agent = agentIdOf(context, call.name)
    return {
      id: idOf(context, child),
      agent,
      outcome,
      text: '',
      error: errorOf(agent),
      usage: noUsage,
      toolResults: [],
    }
  })
  const completions = records.map(({ outcome, error, text }, index): Completion => ({
    child: queued[index]?.child ?? '',
    outcome,
    content: JSON.stringify({ error: 'There was no time left for this goal.' }),
    text,
    ...(error === undefined ? {} : { error }),
  }))
  return {
    started: context.calls.length,
    ledger: { ...context.ledger, delegations: context.ledger.delegations.append(...records) },
    work: withCompletions(context, completions),
  }
}

/** Ends a round: records its step, and tells the model the results and the missing goals. */
export function closeRound(context: FanOutContext): Change {
  const ended = endedGoals(context)
  const results = Object.fromEntries(
    ended.map(({ id, goal, completion: { outcome, content } }) => [
      id,
      { goal: goal.goal, agent: goal.agent, outcome, result: content },
    ]),
  )
  const missing = ended.filter(isMissing)
  const files = ended.flatMap(({ completion }) => completion.files ?? [])
  const notice = [
    `These are the results of round ${context.work.round}, by the id of the child that worked on each goal:\n${JSON.stringify(results)}`,
    ...(missing.length === 0
      ? []
      : [
          `${missing.length} of ${ended.length} goals have no complete result: ${missing
            .map(({ id, completion: { outcome } }) => `${id} (${outcome})`)
            .join(', ')}.`,
        ]),
  ].join('\n\n')
  const feedback = ended.flatMap(({ completion }) =>
    completion.feedback ? [feedbackMessage(completion.feedback)] : [],
  )
  return {
    ...recordRound(context),
    messages: context.messages.append(noticeMessage(withFiles(notice, files)), ...feedback),
  }
}

/** Records the step of a round, without a prompt for the model. */
export function recordRound(context: FanOutContext): Change {
  const step: StepRecord = {
    step: context.step,
    text: '',
    toolCalls: context.calls.map(({ child, call: { name, args } }) => ({
      id: idOf(context, child),
      name,
      args,
    })),
    toolResults: endedGoals(context).map(({ id, goal, completion: { outcome, text, error } }) => ({
      id,
      name: `agent-${goal.agent}`,
      outcome,
      value: text,
      ...(error === undefined ? {} : { error }),
    })),
    finishReason: 'tool-calls',
    usage: context.work.spent,
  }
  return { ledger: { ...context.ledger, steps: context.ledger.steps.append(step) } }
}

interface EndedGoal {
  readonly id: string
  readonly goal: Goal
  readonly completion: Completion
}

/** In the order of the goals, not of their ends. */
export function endedGoals(context: FanOutContext): EndedGoal[] {
  const { goals, completions } = context.work
  const byChild = new Map<string, Completion>()
  for (const completion of completions) byChild.set(completion.child, completion)
  return goals.flatMap((goal, index) => {
    const child = childId('delegation', `${context.step}.${index + 1}`)
    const completion = byChild.get(child)
    return completion === undefined ? [] : [{ id: idOf(context, child), goal, completion }]
  })
}

export function isMissing({ completion: { outcome } }: EndedGoal): boolean {
  return outcome !== 'succeeded'
}

function completionOf(child: string, { record, content, feedback }: DelegationOutput): Completion {
  const { outcome, text, error } = record
  const files = filesOf(content)
  return {
    child,
    outcome,
    content: textOf(content),
    ...(files.length === 0 ? {} : { files }),
    text,
    ...(error === undefined ? {} : { error }),
    ...(feedback === undefined ? {} : { feedback }),
  }
}

function withCompletions(context: FanOutContext, more: readonly Completion[]): FanOutWork {
  const work = context.work
  return { ...work, completions: work.completions.append(...more) }
}

export function idOf({ input }: FanOutContext, child: string): string {
  return below(input.path, child)
}

export function agentIdOf({ input }: FanOutContext, toolName: string): string {
  return input.profile.toolset.subagent(toolName)?.id ?? toolName
}
