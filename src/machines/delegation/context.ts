/** Input, context and output of a delegation. */
import { delegationPrefix } from '../../actors/strict/ids.ts'
import { below, isChild, lastId, parentPath } from '../../actors/actor-path.ts'
import type { AppendLog } from '../../actors/values/append-log.ts'
import type { EffectInput, EffectOutcome, HookOutcome } from '../../actors/effects/effect-kinds.ts'
import type { Derived } from '../../actors/values/derived.ts'
import { filePartSchema } from '../../actors/content/content-schema.ts'
import {
  filesOf,
  labelOf,
  withFiles,
  withOthers,
  type Content,
  type FilePart,
  type Part,
} from '../../actors/content/content.ts'
import { stricterThan, type ApprovalPolicy, type Message, type StricterPolicy } from '../../actors/message.ts'
import { hookTimeout } from '../../actors/timeouts.ts'
import type { PatternSettings } from '../../actors/task-types.ts'
import { narrowed } from '../../actors/tool-groups.ts'
import type { DelegationArgs } from '../../actors/toolset/delegation-args.ts'
import { isRecord, type JsonValue } from '../../actors/values/json.ts'
import { noUsage, totalUsage } from '../../actors/usage.ts'
import type { ErrorData } from '../../errors.ts'
import type { AgentProfile, AgentRequest, AgentReport, LoopView } from '../contract/agent.ts'
import { withChangedArguments } from '../contract/answers.ts'
import type { DelegationOutcome, DelegationRecord, SubagentOutcome } from '../contract/records.ts'
import type { UnknownFiles } from '../contract/conversation.ts'
import { resultsOf } from '../contract/nested-results.ts'
import type { DelegationOutput } from '../contract/reports.ts'
import { threadIdOf, threadName } from './thread.ts'
import { aLog, aNumber, aRecord, startedByAgents } from '../shared/chart-input.ts'
import { anything, aText } from '../../actors/strict/checks.ts'
import { optional, required } from '../../actors/strict/read-options.ts'

export interface DelegationInput {
  /** The delegating agent. */
  readonly profile: AgentProfile
  readonly runId: string
  /** As in the request of the delegating agent. */
  readonly origin?: string
  /** The path of this actor: the id of the delegation. */
  readonly path: string
  /** The name under which the parent knows the subagent. */
  readonly key: string
  /** The subagent's id. */
  readonly subagent: string
  readonly args: DelegationArgs
  /** The id that the model has given the call; absent where the agent delegates by itself. */
  readonly modelCallId?: string
  /** The prompt with its files, where it has some. */
  readonly content?: readonly Part[]
  /** Set where the model has named files that it cannot hand on. */
  readonly unknownFiles?: UnknownFiles
  /** The policy at the call, where it is stricter than the policy with which the run began. */
  readonly requireApproval?: StricterPolicy
  /** The parent's conversation. */
  readonly conversation: AppendLog<Message>
  readonly task: string
  /** The framing of the whole tree. */
  readonly framing: string | undefined
  readonly iteration: number
  /** Of the subagent: 1 below the root agent. */
  readonly depth: number
  /** The delegating agent's. */
  readonly threadId: string | undefined
  /** The resource of the whole run: a model cannot name another one. */
  readonly resourceId: string | undefined
  /** Narrows the groups of tools that the subagent may use. */
  readonly toolGroups?: readonly string[]
  /** The delegation is in the background, and the subagent waits for those of its tools that otherwise run there. */
  readonly awaitsTools?: true
  /** The caps with which the subagent works, in place of its own. */
  readonly settings?: PatternSettings
  /** A person has decided about all delegations of this agent to the subagent, for the rest of the run. */
  readonly standing?: EffectOutcome<'signal'>
  /** The delegating agent, for its hooks. */
  readonly loop: Derived<LoopView>
}

/** Grouped for the reason given at `LoopContext`. */
export interface DelegationContext {
  readonly input: DelegationInput
  readonly prompt: string
  readonly addedInstructions: readonly string[]
  readonly maxSteps: number | undefined
  /** The arguments that a person has put in the place of those of the model. */
  readonly changedArgs: JsonValue | undefined
  /** The groups of tools that the subagent may use; `undefined`: no groups were named. */
  readonly toolGroups: readonly string[] | undefined
  /** The thread of the subagent, set by a hook. */
  readonly threadId: string | undefined
  /** Milliseconds that the whole delegation may take. */
  readonly limit: number | undefined
  readonly history: readonly Message[]
  /** After handoffs: the merged report of all agents of the chain. */
  readonly result: AgentReport | undefined
  /** The id of the actor at work: the subagent, or its successor. */
  readonly atWork: string
  /** How the subagent ended; `undefined`: it has not. Nothing changes it afterwards. */
  readonly childOutcome: SubagentOutcome | undefined
  /** How the delegation ends, unless a hook bails. */
  readonly outcome: SubagentOutcome
  readonly rejection: string | undefined
  readonly cancelReason: string | undefined
  readonly error: ErrorData | undefined
  readonly hookError: ErrorData | undefined
  readonly review: HookOutcome<'onDelegationComplete'>
  /** The time of the run is up: no hook is called any more. */
  readonly isSpent: boolean
}

/** A user hook filters the history that the subagent sees. */
/** Whether a person must approve: the policy with which the run began, or that of the call where it is stricter. */
export function approvalPolicy({ input }: DelegationContext): ApprovalPolicy {
  const { requireApproval = false } = input.profile.delegation
  return (input.requireApproval && stricterThan(requireApproval, input.requireApproval)) ?? requireApproval
}

export function hasMessageFilter({ input: { profile } }: DelegationContext): boolean {
  return profile.hooks.messageFilter !== undefined && profile.delegation.includeConversationHistory
}

export function hasTimeout({ input: { profile } }: DelegationContext): boolean {
  return profile.delegation.timeout !== undefined
}

/** How a subagent ended that was asked to: `asked`, unless it came to an end of its own before. */
export function outcomeWhenAsked(outcome: AgentReport['outcome'], asked: SubagentOutcome): SubagentOutcome {
  return outcome === 'cancelled' || outcome === 'handedOff' ? asked : delegationOutcome(outcome)
}

export function delegationOutcome(outcome: AgentReport['outcome']): SubagentOutcome {
  switch (outcome) {
    case 'completed':
    case 'stopped':
    case 'bailed':
      return 'succeeded'
    case 'exhausted':
      return 'exhausted'
    case 'tripped':
    case 'failed':
    case 'handedOff': // the successor was not started
      return 'failed'
    case 'cancelled':
      return 'cancelled'
  }
}

export function agentRequest(context: DelegationContext): AgentRequest {
  const { args, framing, resourceId, settings } = context.input
  return {
    agent: context.input.subagent,
    task: context.prompt,
    ...contentOf(context),
    history: context.history,
    addedInstructions: context.addedInstructions,
    ...(framing === undefined ? {} : { framing }),
    ...(settings === undefined ? {} : { settings }),
    ...(context.maxSteps === undefined ? {} : { maxSteps: context.maxSteps }),
    ...(args.maxSteps == null ? {} : { maxStepsLimit: args.maxSteps }),
    maxDepth: context.input.profile.maxDepth,
    ...groupsOf(context),
    ...(context.input.awaitsTools === true ? { awaitsTools: true as const } : {}),
    depth: context.input.depth,
    path: below(context.input.path, context.input.subagent),
    runId: context.input.runId,
    ...(context.input.origin === undefined ? {} : { origin: context.input.origin }),
    threadId: threadOf(context),
    ...(resourceId === undefined ? {} : { resourceId }),
  }
}

/** A hook may have changed the text of the prompt: its files stay. */
function contentOf({ input, prompt }: DelegationContext): Pick<AgentRequest, 'content'> {
  const { content, args } = input
  if (content === undefined) return {}
  if (prompt === args.prompt) return { content }
  return { content: [{ type: 'text', text: prompt }, ...filesOf(content)] }
}

/** The rejection of a delegation that names files which are not there. */
export function unknownFile({ input }: DelegationContext) {
  const { asked = [], known = [] } = input.unknownFiles ?? {}
  const list = (names: readonly string[]): string => names.map((name) => JSON.stringify(name)).join(', ')
  const there = known.length === 0 ? 'There are none.' : `There are: ${list(known)}.`
  const rejection = `There is no file ${list(asked)} in the conversation. ${there}`
  return { rejection, error: { name: 'UnknownFileError', code: 'UNKNOWN_FILE', message: rejection } }
}

/** How the subagent ended is told where its delegation ended otherwise. */
export function besideOutcome(
  { childOutcome }: DelegationContext,
  outcome: DelegationOutcome,
): Pick<DelegationRecord, 'subagentOutcome'> {
  return childOutcome === undefined || childOutcome === outcome ? {} : { subagentOutcome: childOutcome }
}

/** After a handoff: the agent that the outcome belongs to. */
export function answeredBy({ result }: DelegationContext): Pick<DelegationRecord, 'by'> {
  const by = result?.handoffs?.at(-1)?.to
  return by === undefined ? {} : { by }
}

export function timeoutError({ input, limit }: DelegationContext): ErrorData {
  return delegationTimeout(input.subagent, limit)
}

/** The deadline of the delegation passed during the review by a hook. */
export function reviewTimeout({ limit }: DelegationContext): ErrorData {
  return hookTimeout('onDelegationComplete', `within the ${limit} ms of its delegation.`)
}

/** The error for a subagent that did not finish in time. */
export function delegationTimeout(subagent: string, limit: number | undefined): ErrorData {
  const message = `The agent "${subagent}" did not finish within ${limit} ms.`
  return { name: 'TimeoutError', code: 'DELEGATION_TIMEOUT', message }
}

/** The thread of the subagent: that of the hook, if it has fixed one. */
function threadOf({ input, threadId }: Pick<DelegationContext, 'input' | 'threadId'>): string {
  return threadId ?? threadIdOf(input)
}

/** The place of the delegation among the others: its thread, the delegation above it, the call of the model. */
export function placeOf({ input, threadId }: DelegationContext) {
  const above = parentPath(parentPath(input.path))
  return {
    threadId: threadOf({ input, threadId }),
    ...(isChild(lastId(above), 'delegation') ? { parentDelegationId: above } : {}),
    ...(input.modelCallId === undefined ? {} : { modelCallId: input.modelCallId }),
  }
}

/** The question for approval. It shows the request as the subagent is to get it. */
export function approvalQuestion({ input, prompt }: DelegationContext): EffectInput<'signal'> {
  const { path, profile, key, args } = input
  return {
    id: path,
    type: 'approval',
    agent: profile.id,
    toolName: delegationPrefix + key,
    args: givenArgs({ ...args, prompt }),
  }
}

/** Without the arguments that the model did not give. */
function givenArgs(args: DelegationArgs): Record<string, JsonValue> {
  const given = Object.entries<JsonValue | undefined>(args)
  return Object.fromEntries(given.filter((entry): entry is [string, JsonValue] => entry[1] !== undefined))
}

/** The rejection of a delegation by a person, or by silence. */
export function denial(code: 'DENIED' | 'APPROVAL_TIMEOUT', reason: string) {
  return { rejection: reason, error: { name: 'DeniedError', code, message: `Delegation denied: ${reason}` } }
}

/** Set only where groups were named, so that all other requests stay the same as before. */
export function groupsOf({ toolGroups }: DelegationContext): { readonly toolGroups?: readonly string[] } {
  return toolGroups === undefined ? {} : { toolGroups }
}

/** The data for both delegation hooks and the filter. */
export function hookData(context: DelegationContext): Record<string, unknown> {
  return {
    delegationId: context.input.path,
    agentName: context.input.key,
    agentId: context.input.subagent,
    prompt: context.prompt,
    args: context.input.args,
    iteration: context.input.iteration,
    task: context.input.task,
    messages: context.input.conversation,
    ...groupsOf(context),
    loop: context.input.loop,
  }
}

/** What is known of the subagent's work besides its text. */
export function workOf(
  context: DelegationContext,
): Pick<DelegationRecord, 'toolResults' | 'threadId' | 'reason'> {
  const { result, error, rejection } = context
  const reason = rejection ?? result?.reason ?? reasonOf(error)
  return {
    toolResults: result === undefined ? [] : resultsOf(result),
    ...(result === undefined ? {} : { threadId: threadOf(context) }),
    ...(reason === undefined ? {} : { reason }),
  }
}

export function delegationOutput(context: DelegationContext, outcome: DelegationOutcome): DelegationOutput {
  const { result, error, hookError, review } = context
  const text = result?.text ?? ''
  const work = workOf(context)
  return {
    kind: 'delegation',
    record: {
      id: context.input.path,
      agent: context.input.subagent,
      outcome,
      ...besideOutcome(context, outcome),
      text,
      ...(result?.files === undefined ? {} : { files: result.files }),
      ...(error === undefined ? {} : { error }),
      ...(hookError === undefined ? {} : { hookError }),
      ...(result?.partialText === undefined ? {} : { partialText: result.partialText }),
      usage: result === undefined ? noUsage : totalUsage(result.usage),
      ...work,
      ...answeredBy(context),
      ...(result?.handoffs === undefined ? {} : { handoffs: result.handoffs }),
    },
    ...asRan(context, review.resultText ?? content(context, outcome, text)),
    ...(review.feedback === undefined ? {} : { feedback: review.feedback }),
    ...madeOf(context, outcome),
    usage: result?.usage ?? {},
    ...(result?.message === undefined ? {} : { message: result.message }),
    ...(result?.object === undefined || review.resultText !== undefined ? {} : { object: result.object }),
    ...(work.reason === undefined ? {} : { reason: work.reason }),
  }
}

/** What the model reads, with the arguments where a person has changed them. */
function asRan(
  { changedArgs }: DelegationContext,
  content: Content,
): Pick<DelegationOutput, 'content' | 'args'> {
  if (changedArgs === undefined) return { content }
  return { content: withChangedArguments(content, changedArgs), args: changedArgs }
}

/** The limit that was reached without a subagent at work. */
function reasonOf(error: ErrorData | undefined): string | undefined {
  if (error?.code === 'MAX_DEPTH') return 'depth'
  return error?.code === 'BUDGET_EXCEEDED' ? 'budget' : undefined
}

/** The files that the parent is given: those of the answer, and those that tools have made on the way to it. */
function filesUp({ result }: DelegationContext): readonly FilePart[] {
  return withOthers(result?.files, result?.made)
}

/** Only with an answer, complete or not, as it is; then its files are the parent's to hand up too. */
function madeOf(
  { result, review }: DelegationContext,
  outcome: DelegationOutcome,
): Pick<DelegationOutput, 'made'> {
  const isAnswer = outcome === 'succeeded' || outcome === 'bailed' || outcome === 'exhausted'
  return isAnswer && review.resultText === undefined && result?.made !== undefined
    ? { made: result.made }
    : {}
}

/** A program that fails tells why, in words that are for models. */
function wordsOf({ result }: DelegationContext): string {
  return result?.outcome === 'failed' && result.reason !== undefined ? `: ${result.reason}` : '.'
}

/** The parent's model never reads the error of a subagent. */
function content(context: DelegationContext, outcome: DelegationOutcome, text: string): Content {
  const agent = `The agent "${context.input.key}"`
  switch (outcome) {
    case 'succeeded':
    case 'bailed':
      return withFiles(withToolResults(context, text), filesUp(context))
    case 'exhausted':
      return withFiles(
        JSON.stringify({
          text,
          incomplete: `${agent} reached a limit (${context.result?.reason ?? reasonOf(context.error) ?? 'depth'}) before it was done.`,
        }),
        filesUp(context),
      )
    case 'rejected':
      return JSON.stringify({ error: `Delegation rejected: ${context.rejection}`, rejected: true })
    case 'timedOut':
      return JSON.stringify({ error: `${agent} timed out.` })
    case 'cancelled':
      return JSON.stringify({
        error: `${agent} was cancelled: ${context.cancelReason ?? 'no reason was given'}`,
      })
    case 'failed':
      return JSON.stringify({ error: `${agent} failed${wordsOf(context)}` })
  }
}

/** The text alone, unless the supervisor's model is to read the subagent's tool results too. */
function withToolResults({ input, result, threadId }: DelegationContext, text: string): string {
  if (!input.profile.delegation.includeSubAgentToolResultsInModelContext) return text
  const toolResults = (result?.steps ?? []).flatMap((step) =>
    step.toolResults.map(({ name, outcome, value }) => ({ name, outcome, value })),
  )
  return JSON.stringify(
    { text, threadId: threadId ?? threadName(input), toolResults },
    (_key, part: unknown) => withoutReference(part),
  )
}

/** A line stands for a file in the value of a tool: a reference is not for models. */
function withoutReference(part: unknown): unknown {
  const isFile = isRecord(part) && part['type'] === 'file' && ('ref' in part || 'url' in part)
  if (!isFile) return part
  const file = filePartSchema().safeParse(part)
  return file.success ? labelOf(file.data) : part
}

const assertInput = /* @__PURE__ */ startedByAgents<DelegationInput>(
  'delegation',
  {
    profile: required(aRecord),
    runId: required(aText),
    origin: optional(aText),
    path: required(aText),
    key: required(aText),
    subagent: required(aText),
    args: required(aRecord),
    modelCallId: optional(aText),
    content: optional(anything),
    unknownFiles: optional(anything),
    requireApproval: optional(anything),
    conversation: required(aLog),
    task: required(aText),
    framing: optional(aText),
    iteration: required(aNumber),
    depth: required(aNumber),
    threadId: optional(aText),
    resourceId: optional(aText),
    toolGroups: optional(anything),
    awaitsTools: optional(anything),
    settings: optional(anything),
    standing: optional(anything),
    loop: required(aRecord),
  },
  ({ profile }) => (profile as { readonly id?: unknown } | undefined)?.id,
)

export function initialContext(input: DelegationInput): DelegationContext {
  assertInput(input)
  return {
    input,
    prompt: input.args.prompt,
    addedInstructions: input.args.instructions == null ? [] : [input.args.instructions],
    maxSteps: undefined,
    changedArgs: undefined,
    toolGroups: narrowed(input.profile.toolGroups, input.toolGroups),
    threadId: undefined,
    limit: input.profile.delegation.timeout,
    history: [],
    result: undefined,
    atWork: input.subagent,
    childOutcome: undefined,
    outcome: 'succeeded',
    rejection: undefined,
    cancelReason: undefined,
    error: undefined,
    hookError: undefined,
    review: { bail: false },
    isSpent: false,
  }
}
