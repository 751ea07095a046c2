/** The state of a debate, as pure functions: the present proposal of each agent, and the agents without one. */
import { below, childId } from '../../actors/actor-path.ts'
import { inWords, withFiles, withOthers, type FilePart } from '../../actors/content/content.ts'
import type { DelegationOutput } from '../contract/reports.ts'
import { isSaid, settledCall, type LoopContext, type PendingCall } from '../loop/changes/context.ts'
import { beginStep, noticeMessage, recordCrash, recordReport } from '../loop/changes/record.ts'
import { taskCall, taskOf } from '../loop/changes/task.ts'
import type { ErrorData } from '../../errors.ts'
import type { StepRecord } from '../contract/records.ts'
import { noUsage } from '../../actors/usage.ts'

export type DebateContext = LoopContext<DebateWork>

type Change = Partial<DebateContext>

export interface DebateWork {
  /** Rounds of criticism so far. */
  readonly round: number
  /** The present proposal of each agent, by its key. */
  readonly proposals: Readonly<Record<string, string>>
  /** The files of the present proposals, by the keys of their agents: only where there are some. */
  readonly files?: Readonly<Record<string, readonly FilePart[]>>
  /** The outcomes of the agents whose last round gave no proposal, by their keys. */
  readonly failures: Readonly<Record<string, string>>
  /** The proposals are part of the conversation of the agent. */
  readonly isReconciled: boolean
}

export const firstWork: DebateWork = { round: 0, proposals: {}, failures: {}, isReconciled: false }

function keysOf({ input }: DebateContext): string[] {
  return [...input.profile.toolset.subagents.keys()]
}

/** The user's quorum; by default all agents but one, and at least one. */
function quorumOf(context: DebateContext): number {
  return context.input.profile.caps.quorum ?? Math.max(1, keysOf(context).length - 1)
}

export function hasQuorum(context: DebateContext): boolean {
  return Object.keys(context.work.proposals).length >= quorumOf(context)
}

/** Criticism needs a second proposal, and there must be a step left for the answer. */
export function mayCriticise(context: DebateContext): boolean {
  const { round, proposals } = context.work
  const hasRoundLeft = round < context.input.profile.caps.rounds
  return hasRoundLeft && Object.keys(proposals).length > 1 && context.step + 1 < context.input.maxSteps
}

/** Gives the task to each agent, without the proposals of others. */
export function propose(context: DebateContext): Change {
  return delegateToEach(context, keysOf(context), () => taskOf(context))
}

/** Shows each proposer the other proposals, and asks for its own again. */
export function criticise(context: DebateContext): Change {
  const { proposals, round } = context.work
  const task = taskOf(context)
  const prompt = (key: string): string => {
    const others = Object.entries(proposals)
      .filter(([other]) => other !== key)
      .map(([other, text]) => `Proposal of "${other}":\n${text}`)
      .join('\n\n')
    return `${task}\n\nYou proposed:\n${proposals[key]}\n\nOthers proposed:\n\n${others}\n\nCriticise these proposals, and then give your own again, improved where the criticism or another proposal calls for it.`
  }
  return {
    ...delegateToEach(context, Object.keys(proposals), prompt),
    work: { ...context.work, round: round + 1 },
  }
}

function delegateToEach(
  context: DebateContext,
  keys: readonly string[],
  prompt: (key: string) => string,
): Change {
  const step = context.step + 1
  const calls = keys.map((key, index): PendingCall => {
    const position = `${step}.${index + 1}`
    const call = { id: `proposal-${position}`, name: `agent-${key}`, args: { prompt: prompt(key) } }
    return taskCall(childId('delegation', position), call)
  })
  return { ...beginStep(context), calls }
}

/** Records the proposal of an agent; one that fails keeps its proposal of the round before. */
export function recordPosition(context: DebateContext, child: string, report: DelegationOutput): Change {
  const { outcome } = report.record
  const work = isProposal(report)
    ? withProposal(context, child, report)
    : withFailure(context, child, outcome)
  return { ...recordReport(context, child, report), work }
}

/** An answer that a cap has cut off is a proposal too. */
function isProposal({ record }: DelegationOutput): boolean {
  return (record.outcome === 'succeeded' || record.outcome === 'exhausted') && isSaid(record)
}

export function recordProposerCrash(context: DebateContext, child: string, error: ErrorData): Change {
  return { ...recordCrash(context, child, error), work: withFailure(context, child, 'failed') }
}

function withProposal(context: DebateContext, child: string, report: DelegationOutput): DebateWork {
  const { record, made } = report
  const { work } = context
  const key = keyOf(context, child)
  const { [key]: _failure, ...failures } = work.failures
  const { [key]: _files, ...files } = work.files ?? {}
  const given = withOthers(record.files, made)
  const all = given.length === 0 ? files : { ...files, [key]: given }
  const { files: _before, ...rest } = work
  return {
    ...rest,
    proposals: { ...work.proposals, [key]: inWords(record) },
    ...(Object.keys(all).length === 0 ? {} : { files: all }),
    failures,
  }
}

function withFailure(context: DebateContext, child: string, outcome: string): DebateWork {
  const work = context.work
  return { ...work, failures: { ...work.failures, [keyOf(context, child)]: outcome } }
}

function keyOf({ calls }: DebateContext, child: string): string {
  return (calls.find((pending) => pending.child === child)?.call.name ?? '').slice('agent-'.length)
}

/** A round is a step of the agent. */
export function recordRound(context: DebateContext): Change {
  const { path } = context.input
  const step: StepRecord = {
    step: context.step,
    text: '',
    toolCalls: context.calls.map(({ child, call: { name, args } }) => ({
      id: below(path, child),
      name,
      args,
    })),
    toolResults: context.calls.flatMap(({ child }) => settledCall(context, child)?.result ?? []),
    finishReason: 'tool-calls',
    usage: noUsage,
  }
  return { ledger: { ...context.ledger, steps: context.ledger.steps.append(step) } }
}

/** Asks for one answer from the proposals, and names the agents without one. */
export function askForReconciliation(context: DebateContext): Change {
  const { proposals, files = {}, failures } = context.work
  const missing = Object.entries(failures).map(([key, outcome]) => `${key} (${outcome})`)
  const held = Object.entries(proposals).map(([key, text]) => `Proposal of "${key}":\n${text}`)
  const notice = [
    'These proposals were made independently of each other, and then criticised:',
    ...held,
    ...(missing.length === 0 ? [] : [`Not heard, or not to the end: ${missing.join(', ')}.`]),
    'Reconcile them: answer the task with what stands up to the criticism, and say where they disagree.',
  ]
  return {
    messages: context.messages.append(
      noticeMessage(withFiles(notice.join('\n\n'), Object.values(files).flat())),
    ),
    work: { ...context.work, isReconciled: true },
  }
}

/** As `askForReconciliation`, unless it is part of the conversation already. */
export function withProposals(context: DebateContext): Change {
  return context.work.isReconciled ? {} : askForReconciliation(context)
}
