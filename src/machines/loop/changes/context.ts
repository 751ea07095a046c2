/** The context of the think-act loop, and how it becomes the output of an agent. */
import { isChild, positionIn } from '../../../actors/actor-path.ts'
import { AppendLog } from '../../../actors/values/append-log.ts'
import type { ModelReply } from '../../../actors/chat-model.ts'
import { SparseMap } from '../../../actors/values/sparse.ts'
import { isRecord, type JsonValue } from '../../../actors/values/json.ts'
import type { HookOutcome } from '../../../actors/effects/effect-kinds.ts'
import { saysAnything, type Content, type FilePart } from '../../../actors/content/content.ts'
import type { JudgedCall, Message, UserMessage } from '../../../actors/message.ts'
import type { SignedReply } from '../../../actors/messages/provider-data.ts'
import type { Tripwire } from '../../../actors/processor.ts'
import { unsetState } from '../../../actors/tool-groups.ts'
import type { UsageByAgent } from '../../../actors/usage.ts'
import type { ErrorData } from '../../../errors.ts'
import type { AgentInput, AgentReport } from '../../contract/agent.ts'
import type {
  DelegationRecord,
  Outcome,
  ScoringRecord,
  StepRecord,
  ToolResultRecord,
  AgentParts,
} from '../../contract/records.ts'
import type { Saying } from '../../contract/sayings.ts'
import type { Handoff } from '../../contract/handoff-chain.ts'
import type {
  CompactionOutput,
  CompletionOutput,
  DecisionOutput,
  ScreeningOutput,
} from '../../contract/reports.ts'
import type { PlanRecord } from '../../contract/plan.ts'
import type { BackgroundChild, Live } from './live.ts'
import { assertAgentInput } from './agent-input.ts'

/** A call of the model, on its way to becoming a child. */
export interface PendingCall {
  /** The id of the child: unique in this agent, made from step and position. */
  readonly child: string
  readonly call: JudgedCall
  /**
   * Its prompt is the agent's own task: the shared history ends before the task, so that a subagent reads it once.
   */
  readonly isTask?: true
  /** A reply of the model makes the call, and has its id. */
  readonly isOfModel?: true
  /** Narrows the groups of tools that a subagent may use for it. */
  readonly toolGroups?: readonly string[]
}

/** Whether a call is a handoff: no child is started for it. */
export function isHandoff({ child }: PendingCall): boolean {
  return isChild(child, 'handoff')
}

/** A call that has its outcome. */
export interface SettledCall {
  readonly child: string
  readonly result: ToolResultRecord
  /** The result as the model reads it. */
  readonly content: Content
  readonly feedback?: string
  /** The arguments, where a person has changed them. */
  readonly args?: JsonValue
}

export interface Bail {
  readonly by: string
  readonly text: string
  readonly files?: readonly FilePart[]
  readonly message?: string
  readonly error?: ErrorData
}

export interface Ending {
  readonly outcome: Outcome
  readonly reason?: string
  readonly error?: ErrorData
  /** The text so far of an answer that the end has cut; empty: there is none. Absent: nobody has asked for it. */
  readonly partial?: string
}

/** The ending of an agent that has handed off: a successor goes on with the conversation. */
export interface HandoffEnding {
  readonly outcome: 'handedOff'
  readonly handoff: Handoff
  readonly reason?: undefined
  readonly error?: undefined
  readonly partial?: undefined
}

/** The records for the output: they grow and are never reset. */
export interface Ledger {
  readonly steps: AppendLog<StepRecord>
  readonly delegations: AppendLog<DelegationRecord>
  readonly scores: readonly ScoringRecord[]
  readonly usage: UsageByAgent
  /** The files that tools have made, of the agent and of those below it; absent without any. */
  readonly made?: readonly FilePart[]
}

/** The failed attempts of the present step. */
export interface Attempts {
  /** Failed attempts of the present model call. */
  readonly failures: number
  readonly lastFailure: ErrorData | undefined
  /** Answers that were sent back because they did not have the requested shape. */
  readonly repairs: number
  /** Replies that were sent back because a processor refused them. */
  readonly refusals: number
  /** Requests since the last reply that were too long for the server. */
  readonly overflows: number
  /** Models of the row that have failed in the present step: the place of the one that is called. */
  readonly fallen: number
  /** The model that has answered, as its reply has it on record. `undefined`: the reply names none. */
  readonly answered: string | undefined
}

export const noAttempts: Attempts = {
  failures: 0,
  lastFailure: undefined,
  repairs: 0,
  refusals: 0,
  overflows: 0,
  fallen: 0,
  answered: undefined,
}

/** The progress of processors on the opening messages, or on a reply that is still a draft. */
export interface Screening {
  /** The position of the next processor to call. */
  readonly next: number
  readonly text: string
  /** The errors of processors that are not handled yet. */
  readonly failures: readonly ErrorData[]
  readonly tripwire: Tripwire | undefined
}

/** The present iteration, and its review. */
export interface Verdict {
  /** The iteration has begun, and its end is not announced yet. */
  readonly isOpen: boolean
  /** The step of the iteration was cut off, and its end is announced. */
  readonly isCut: boolean
  /** By the iteration hook. */
  readonly review: HookOutcome<'onIterationComplete'> | undefined
  /** By the scorers. */
  readonly scoring: CompletionOutput | undefined
  /** The last decision of the model, once it is reported. */
  readonly decision: DecisionOutput | undefined
  /** The last compaction of the conversation, once it is reported. */
  readonly compaction: CompactionOutput | undefined
  /** The last screening of messages of people, once it is reported. */
  readonly screening: ScreeningOutput | undefined
}

const noVerdict: Verdict = {
  isOpen: false,
  isCut: false,
  review: undefined,
  scoring: undefined,
  decision: undefined,
  compaction: undefined,
  screening: undefined,
}

/** Of an iteration that begins. */
export const openVerdict: Verdict = { ...noVerdict, isOpen: true }

/** A message of a person that input processors have passed. */
export interface PassedSaying {
  readonly saying: Saying
  readonly messages: readonly UserMessage[]
}

/** Tool calls and delegations that no step waits for, and what comes to the agent besides its steps. */
export interface Background {
  /** Those that wait for a place. */
  readonly queue: readonly PendingCall[]
  /** Those that have begun and not ended. */
  readonly live: readonly BackgroundChild[]
  /** Messages about their ends that no prompt contains yet. */
  readonly notices: readonly Message[]
  /** Messages of people that no prompt contains yet; with input processors those that they have not judged. */
  readonly sayings: readonly Saying[]
  /** Messages of people that have passed the input processors, as the model reads them. */
  readonly passed: readonly PassedSaying[]
  /** How many screenings were begun: names them. */
  readonly screenings: number
  /** All were asked to end: no other begins, and a bail does not count. */
  readonly isEnding: boolean
}

/** The last call, and how often it was made in a row. */
export interface Repetition {
  readonly call: string
  readonly times: number
  /** The most that any call of the present step was made in a row. */
  readonly most: number
}

/** Measured over steps. */
export interface Measured {
  readonly repetition: Repetition
  /** The tokens that the server counts for each estimated one. 1: no reply has told yet. */
  readonly scale: number
}

/**
 * Grouped, and not one flat list of 28: beyond 19 fields V8 keeps the copy that every `assign` makes as a hash
 * table, which makes each of them some seventy times as slow.
 */
export interface LoopContext<Work = unknown> {
  /** The input of the agent; `configure` may complete its profile, and tools change its tool state. */
  readonly input: AgentInput
  /** The conversation so far, from the opening messages on. */
  readonly messages: AppendLog<Message>
  /** The present step, from 1. */
  readonly step: number
  readonly attempts: Attempts
  /** Messages begun so far: names them. Each model call begins one, failed ones and final turns included. */
  readonly drafts: number
  /** A draft that processors check has the data of its provider still; once it is taken, only its message has. */
  readonly reply: SignedReply | undefined
  /** The calls of the present step, in the order of the model. */
  readonly calls: readonly PendingCall[]
  /** How many of `calls` have been started. */
  readonly started: number
  /** The children that the present step waits for. */
  readonly live: Live
  /** Calls of the present step that have their outcome, in the order in which they got it. */
  readonly settled: AppendLog<SettledCall>
  readonly ledger: Ledger
  /** The last text of the model that was not blank, its message, and the files of that message. */
  readonly said: {
    readonly text: string
    readonly message: string | undefined
    readonly object?: JsonValue
    readonly files?: readonly FilePart[]
  }
  readonly screening: Screening | undefined
  readonly verdict: Verdict
  readonly bail: Bail | undefined
  readonly background: Background
  readonly measured: Measured
  readonly ending: Ending | HandoffEnding
  /** The state of a pattern's own work: a plan, a round of goals. */
  readonly work: Work
}

/** A change by a state that patterns share: it leaves their work alone. */
export type LoopChange = Partial<Omit<LoopContext, 'work'>>

// All agents share what each begins with, so it is frozen.
const none: readonly never[] = Object.freeze([])
const noUsageYet: UsageByAgent = Object.freeze({})
const nothingSaid: LoopContext['said'] = Object.freeze({ text: '', message: undefined })
const completed: Ending = Object.freeze({ outcome: 'completed' })
const noRepetition: Repetition = Object.freeze({ call: '', times: 0, most: 0 })
const unmeasured: Measured = Object.freeze({ repetition: noRepetition, scale: 1 })
const noBackground: Background = Object.freeze({
  queue: none,
  live: none,
  notices: none,
  sayings: none,
  passed: none,
  screenings: 0,
  isEnding: false,
})

/** Throws a `ConfigurationError` for an input that is not one of an agent. */
export function initialContext<Work = undefined>(
  input: AgentInput,
  work?: Work | ((input: AgentInput) => Work),
): LoopContext<Work> {
  assertAgentInput(input)
  const sayings = input.opening.line?.sayings
  return {
    input,
    messages: input.messages,
    step: 0,
    attempts: noAttempts,
    drafts: 0,
    reply: undefined,
    calls: none,
    started: 0,
    live: none,
    settled: AppendLog.of(),
    ledger: { steps: AppendLog.of(), delegations: AppendLog.of(), scores: none, usage: noUsageYet },
    said: nothingSaid,
    screening: undefined,
    verdict: noVerdict,
    bail: undefined,
    background: sayings === undefined ? noBackground : { ...noBackground, sayings },
    measured: unmeasured,
    ending: completed,
    work: (typeof work === 'function' ? (work as (input: AgentInput) => Work)(input) : work) as Work,
  }
}

/** The argument of a function that reads the context alone. */
export interface InContext {
  readonly context: LoopContext
}

/** The outcome of one call. The search starts at the newest: mostly it is the one that has just come. */
export function settledCall({ settled }: LoopContext, child: string): SettledCall | undefined {
  for (let place = settled.length - 1; place >= 0; place--) {
    const call = settled.at(place)
    if (call?.child === child) return call
  }
  return undefined
}

/** The outcomes of all calls of the present step. */
export function settledCalls({ settled }: LoopContext): Pick<SparseMap<string, SettledCall>, 'get' | 'has'> {
  const byChild = new SparseMap<string, SettledCall>()
  for (const call of settled) byChild.set(call.child, call)
  return byChild
}

/** The call of a child of the present step. */
export function callOf({ calls }: LoopContext, child: string): PendingCall | undefined {
  const pending = calls[positionIn(child) - 1]
  return pending?.child === child ? pending : undefined
}

/** The calls of this step hand the conversation on. */
export function handsOff({ calls }: LoopContext): boolean {
  return calls.some(isHandoff)
}

export const noAnswer = 'The agent stopped before it reached an answer.'

/** Whether it is an answer of the agent: the library's placeholder for a missing answer is none. */
export function isSaid(said: Pick<LoopContext['said'], 'text' | 'files'>): boolean {
  return saysAnything(said) && said.text !== noAnswer
}

/** What was said, or the library's placeholder where nothing was. */
export function orNoAnswer(said: LoopContext['said']): LoopContext['said'] {
  return saysAnything(said) ? said : { ...said, text: noAnswer }
}

export function agentOutput(context: LoopContext): AgentReport {
  const { ending } = context
  const parts = outputParts(context)
  if (ending.outcome !== 'handedOff') return { outcome: ending.outcome, ...parts }
  const { handoff } = ending
  // Its text is part of the conversation that goes on, and no answer.
  const { message: _message, object: _object, files: _files, unheard: _passedOn, ...rest } = parts
  return { ...rest, text: '', outcome: 'handedOff', handoff, handoffs: [handoff.record] }
}

/** The parts of an output that are known before its outcome. */
export function outputParts(context: LoopContext): AgentParts {
  const { background, ending, ledger, said } = context
  const { toolState } = context.input.profile
  const bail = ending.outcome === 'bailed' ? context.bail : undefined // a cancel may still cross it
  const text = bail?.text ?? (ending.outcome === 'exhausted' ? orNoAnswer(said) : said).text
  const error = bail?.error ?? ending.error
  const message = bail === undefined ? said.message : bail.message
  const files = bail === undefined ? said.files : bail.files
  const unheard = waitingSayings(background)
  return {
    text,
    ...(files === undefined ? {} : { files }),
    ...(ledger.made === undefined ? {} : { made: ledger.made }),
    ...(ending.reason === undefined ? {} : { reason: ending.reason }),
    ...(error === undefined ? {} : { error }),
    ...(ending.partial === undefined || ending.partial === '' ? {} : { partialText: ending.partial }),
    ...(bail === undefined ? {} : { by: bail.by }),
    ...(message === undefined ? {} : { message }),
    ...(bail !== undefined || said.object === undefined ? {} : { object: said.object }),
    delegations: inOrder(ledger.delegations.toArray()),
    scores: ledger.scores,
    steps: ledger.steps.toArray(),
    usage: ledger.usage,
    ...(unheard.length === 0 ? {} : { unheard }),
    ...planOf(context.work),
    ...(toolState === unsetState ? {} : { toolState }),
  }
}

/** The messages of people that no prompt contains yet. */
export function waitingSayings({ passed, sayings }: Background): readonly Saying[] {
  return passed.length === 0 ? sayings : [...passed.map(({ saying }) => saying), ...sayings]
}

/** The part of a pattern's own work that is in its output. */
function planOf(work: unknown): Pick<AgentParts, 'plan'> {
  const plan = isRecord(work) ? work['plan'] : undefined
  return plan === undefined ? {} : { plan: plan as PlanRecord }
}

/** An answer: text or files, no tool calls, not cut off. */
export function isAnswer(reply: ModelReply | undefined): boolean {
  return (
    reply !== undefined &&
    reply.toolCalls.length === 0 &&
    reply.finishReason !== 'length' &&
    saysAnything(reply)
  )
}

/** Delegations as they were asked for, and not as they ended. */
function inOrder(delegations: readonly DelegationRecord[]): readonly DelegationRecord[] {
  const placed = delegations.map((record) => ({ record, place: orderOf(record.id) }))
  return placed.toSorted((a, b) => a.place - b.place).map(({ record }) => record)
}

/** The place of a delegation in its run: by step, then by position in the step. */
function orderOf(delegationId: string): number {
  const [step = 0, position = 0] = delegationId
    .slice(delegationId.lastIndexOf(':') + 1)
    .split('.')
    .map(Number)
  return step * 10_000 + position
}
