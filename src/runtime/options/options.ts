/** The options of runs and definitions, and the contexts that users' functions are called with. */
import type { ClientTool } from '../../actors/toolset/client-tools.ts'
import type { ChatModel, FinishReason, ToolChoice } from '../../actors/chat-model.ts'
import type { Message } from '../../actors/message.ts'
import type { FallbackRule } from '../../actors/models/fallbacks.ts'
import type { InputProcessor, OutputProcessor } from '../../actors/processor.ts'
import type { Schema } from '../../actors/schemas/schema.ts'
import type { JsonValue } from '../../actors/values/json.ts'
import type { Scorer } from '../../actors/scorer.ts'
import type { DelegationArgs } from '../../actors/toolset/delegation-args.ts'
import type { Usage } from '../../actors/usage.ts'
import type { ErrorData } from '../../errors.ts'
import type {
  DelegationOutcome,
  ScorerResult,
  ScoringRecord,
  StepRecord,
  ToolCallRecord,
  ToolResultRecord,
  HandoffRecord,
} from '../../machines/contract/records.ts'
import type { BudgetOptions } from './budget-options.ts'
import type { OnError } from '../report.ts'
import type { VersionOverrides } from './version-selectors.ts'

export type Awaitable<T> = T | Promise<T>

/** An error as hooks are given it: in a template string it prints as its message. */
export interface HookError extends ErrorData {
  toString(): string
}

/** The iteration at which a function is called: every hook of an agent is given it. */
export interface IterationContext {
  readonly runId: string
  /** The id of the agent; in the hooks of a delegation, of its subagent. */
  readonly agentId: string
  /** The id of the agent whose hook it is. */
  readonly supervisorId: string
  /** The step of the agent, from 1. */
  readonly iteration: number
  /** The cap of iterations. */
  readonly maxSteps: number
  /** As `maxSteps`. */
  readonly maxIterations: number
  /**
   * The reply is an answer, or the cap is reached: no other iteration follows, unless a hook or a scorer asks for one
   * below the cap.
   */
  readonly isFinal: boolean
  readonly messages: readonly Message[]
  readonly originalTask: string
  /** The text of the present step. */
  readonly text: string
  /** Of the reply of the present step; `unknown`: there is none yet. */
  readonly finishReason: FinishReason
  /** The present step. While its calls are at work, the results that there are so far. */
  readonly currentStep: {
    readonly text: string
    readonly toolCalls: readonly ToolCallRecord[]
    readonly toolResults: readonly ToolResultRecord[]
    readonly finishReason: FinishReason
  }
  /** The steps that have ended. */
  readonly steps: readonly StepRecord[]
  /** As `steps`. */
  readonly allSteps: readonly StepRecord[]
  /** Ids of the subagents whose delegations have ended. */
  readonly subAgentsInvoked: readonly string[]
  readonly threadId?: string
  readonly resourceId?: string
}

/** The argument of `stopWhen`. */
export interface StopContext extends IterationContext {
  /** The text of the last step. */
  readonly text: string
  readonly stepCount: number
}

/** Ends the run as `stopped` where it answers `true`. */
export type StopCondition = (context: StopContext) => Awaitable<boolean>

/** The argument of `onStepFinish`. */
export interface StepFinishContext extends IterationContext {
  /** From 1. */
  readonly step: number
  readonly text: string
  readonly toolCalls: readonly { readonly name: string; readonly args: unknown }[]
  readonly usage: Usage
}

/** The argument of `onFinish`. */
export interface FinishContext extends IterationContext {
  readonly outcome: string
  /** The final answer. */
  readonly text: string
  readonly reason?: string
  readonly error?: HookError
  /** Of an agent that has handed its conversation on (outcome `handedOff`): the record of the handoff. */
  readonly handoffs?: readonly HandoffRecord[]
}

/** The answer of `onIterationComplete`. */
export interface IterationResult {
  readonly continue: boolean
  readonly feedback?: string
}

/** The argument of `handoffFilter`. `Input`: of the handoffs with an input. */
export interface HandoffFilterContext<Input = JsonValue> extends IterationContext {
  /** The id of the agent that hands the conversation on. */
  readonly from: string
  /** The id of the successor. */
  readonly to: string
  /** The reason that the model gave. */
  readonly reason?: string
  /** The input that the model gave, where the handoff has an `inputSchema`. */
  readonly input?: Input
  /** No model asked for the handoff: the thread was with the successor already (`keepHandoff`). */
  readonly resumed?: true
  /** The conversation without system prompt, tool parts and messages of the library. */
  readonly messages: readonly Message[]
}

/** Chooses the messages that go with a conversation to its next agent. */
export type HandoffFilter<Input = JsonValue> = (
  context: HandoffFilterContext<Input>,
) => Awaitable<readonly Message[]>

/** `Key`: the keys of the supervisor's `agents`. */
export interface DelegationContext<Key extends string> extends IterationContext {
  readonly delegationId: string
  /** The key under which the supervisor knows the subagent. */
  readonly agentName: Key
  /** The subagent's id. */
  readonly agentId: string
  /** As `agentId`. */
  readonly primitiveId: string
  readonly primitiveType: 'agent'
  /** The call of the supervisor's model that delegates: its id in steps and events. As `delegationId`. */
  readonly toolCallId: string
  readonly prompt: string
  /**
   * The iteration of the supervisor, as it was when the delegation began: it has the text of the supervisor where
   * `text` is that of the subagent.
   */
  readonly iterationContext: IterationContext
  /** The groups whose tools the subagent may be offered; absent where none were named. */
  readonly toolGroups?: readonly string[]
}

/** The argument of `onDelegationStart`. */
export interface DelegationStartContext<Key extends string = string> extends DelegationContext<Key> {
  /** The arguments of the model's call. */
  readonly args: DelegationArgs
}

/** The answer of `onDelegationStart`. */
export interface DelegationStartResult {
  /** `false` rejects: the subagent never runs. Default: `true`. */
  readonly proceed?: boolean
  /** Passed to the model. */
  readonly rejectionReason?: string
  readonly modifiedPrompt?: string
  /** Appended to the subagent's own instructions. */
  readonly modifiedInstructions?: string
  /** Replaces the subagent's cap for this one delegation. */
  readonly modifiedMaxSteps?: number
  /** Narrows, for this one delegation, the groups of tools that the subagent and all below it may use. */
  readonly modifiedToolGroups?: readonly string[]
  /**
   * The thread that the subagent goes on with, where it has memory: this very id, in place of a fresh thread and of one
   * that the model names. It must belong to the resource of the run.
   */
  readonly modifiedThreadId?: string
}

/** The argument of `messageFilter`. */
export interface MessageFilterContext<Key extends string = string> extends DelegationContext<Key> {}

/** The result of a subagent, as `onDelegationComplete` sees it. */
export interface SubagentResult {
  readonly text: string
  /** The results of its own calls, in order; those of its delegations have their own, nested. */
  readonly toolResults: readonly ToolResultRecord[]
  /** The thread that it worked in, as `troupe.memory` knows it. Absent where it never ran. */
  readonly subAgentThreadId?: string
  /** Why it ended, for example `maxSteps`. */
  readonly reason?: string
}

/** The argument of `onDelegationComplete`. */
export interface DelegationCompleteContext<Key extends string = string> extends DelegationContext<Key> {
  readonly args: DelegationArgs
  readonly outcome: Exclude<DelegationOutcome, 'rejected' | 'bailed' | 'cancelled'>
  /** The text of the subagent. */
  readonly text: string
  readonly result: SubagentResult
  readonly error?: HookError
  readonly usage: Usage
  /** Milliseconds. */
  readonly duration: number
  /** Ends the supervisor's run with this subagent's text. */
  bail(): void
}

/** The answer of `onDelegationComplete`. */
export interface DelegationCompleteResult {
  /** For the supervisor's very next prompt. */
  readonly feedback?: string
  /** Passed to the supervisor's model in place of the subagent's text. */
  readonly resultText?: string
}

/** The delegation hooks of a supervisor, and the part of the conversation that its subagents see. */
export interface DelegationOptions<Key extends string = string> {
  readonly onDelegationStart?: (
    context: DelegationStartContext<Key>,
  ) => Awaitable<DelegationStartResult | void>
  readonly onDelegationComplete?: (
    context: DelegationCompleteContext<Key>,
  ) => Awaitable<DelegationCompleteResult | void>
  /**
   * Holds each delegation until a person approves it, after `onDelegationStart` and before the subagent costs anything;
   * a denied one is rejected. A function decides for each delegation, and is given the modified prompt.
   * Default: `false`.
   */
  readonly requireApproval?: boolean | ((context: DelegationStartContext<Key>) => Awaitable<boolean>)
  /** Milliseconds after which a delegation that still waits for approval is rejected. Default: none. */
  readonly approvalTimeout?: number
  /**
   * Chooses the messages of the conversation that a subagent sees: its answer is taken as it is given. It is called with
   * the whole conversation and the modified prompt.
   */
  readonly messageFilter?: (context: MessageFilterContext<Key>) => Awaitable<readonly Message[]>
  /** Default: `true`. */
  readonly includeConversationHistory?: boolean
  /** Keeps feedback of hooks and notices of the library from subagents, but not that of scorers. Default: `true`. */
  readonly filterInternalMessages?: boolean
  /** How many messages of the conversation a subagent sees, where no filter chooses them. Default: 20. */
  readonly maxMessages?: number
  /**
   * The supervisor's model sees the results of the subagent's tools, its threads included, and not its text alone.
   * Default: `false`.
   */
  readonly includeSubAgentToolResultsInModelContext?: boolean
  /** Milliseconds that one delegation may take; time in which it is held does not count. Default: none. */
  readonly timeout?: number
}

/** The argument of `onComplete`: the results of the scorers. */
export interface CompletionResult extends IterationContext {
  readonly complete: boolean
  readonly outcome: ScoringRecord['outcome']
  readonly results: readonly ScorerResult[]
}

/** The scorers of an answer, and the effect of their results. */
export interface CompletionOptions {
  readonly scorers: readonly Scorer[]
  /** Default: `'all'`. */
  readonly strategy?: 'all' | 'any'
  /** `false`: an unmet completion ends the run as `exhausted`. Default: `true`. */
  readonly continueOnFail?: boolean
  /** Default: `true`. */
  readonly feedbackToLLM?: boolean
  /** Milliseconds, shared by all scorers. Default: 30 000. */
  readonly timeout?: number
  /** Default: `true`. */
  readonly parallel?: boolean
  readonly onComplete?: (result: CompletionResult) => Awaitable<void>
}

/** The option `structuredOutput`. */
export interface StructuredOutput<S extends Schema = Schema> {
  /** The shape of the answer: zod, or any Standard Schema that can describe itself as JSON Schema. */
  readonly schema: S
  /** The name of the shape for the model. Default: `answer`. */
  readonly name?: string
}

/** The messages and notes that an agent with memory sees. */
export interface MemoryOptions {
  /**
   * How many messages of its thread the agent sees before its task, beginning with one of the user; 0: none. Default: 20.
   * 1 shows no message of a thread that ends with an answer.
   */
  readonly lastMessages?: number
  /**
   * The agent sees a note on the resource (`resourceId`) in every thread, and keeps it up to date with the tool
   * `update-working-memory`. `template` describes the contents of the note. Default: `false`.
   */
  readonly workingMemory?: boolean | { readonly template?: string }
}

/** The argument of `summarize`. */
export interface SummarizeContext {
  readonly runId: string
  /** The id of the agent whose conversation it is. */
  readonly agentId: string
  readonly task: string
  /** The messages that the summary replaces, the oldest first. */
  readonly messages: readonly Message[]
  /** The most words that the summary is to have. */
  readonly maxWords: number
  /** Fires when the run lets go of the call. */
  readonly signal: AbortSignal
}

/** When and how the earlier messages of an agent's conversation are replaced by a summary. */
export interface CompactionOptions {
  /** The tokens that the model can read and write in one call: models do not tell. */
  readonly window: number
  /**
   * The share of the window above which earlier messages are summarised before the model is called. The size of a request
   * is estimated from the last count of the server. Default: 0.8.
   */
  readonly at?: number
  /** Writes the summaries, and counts as the agent's own calls do. Default: the agent's own model. */
  readonly model?: ChatModel
  /** Writes the summaries in place of a model: a text that is shorter than the messages. Default: none. */
  readonly summarize?: (context: SummarizeContext) => Awaitable<string>
}

/** What is cleared from a long conversation before the model is called. */
export interface ContextEditingOptions {
  /** The tokens of a request above which it is edited: estimated from the last count of the server. */
  readonly above: number
  /** The newest replies of the model that stay as they are, with all that follows them. Default: 3. */
  readonly keep?: number
  /**
   * What is cleared: `'results'` of tools and agents, `'thoughts'` of the model with the data of its provider, and `'files'`.
   * Default: `['results']`.
   */
  readonly clear?: readonly ('results' | 'thoughts' | 'files')[]
  /** Tools whose results stay, by the names that the model sees. Default: none. */
  readonly except?: readonly string[]
  /**
   * The fewest tokens that an edit must free: each edit loses what the server has of the request in its cache. Default: a
   * tenth of `above`.
   */
  readonly atLeast?: number
}

/** The options of any agent, and of a run of it. */
export interface AgentOptions {
  /** The answer is data of this shape; one that is not is sent back once, then the run is `failed`. */
  readonly structuredOutput?: StructuredOutput
  /**
   * The agent keeps prompts and answers in a thread, and sees the thread's earlier messages; `true`: with the
   * defaults. It is the agent's own: its subagents remember where they have this option too. Default: `false`.
   */
  readonly memory?: boolean | MemoryOptions
  /**
   * Summarises earlier messages before a model call whose request would not fit into the window of the model, and once
   * when the server refuses a request as too long. Of a run: in place of the definition's. Default: none.
   */
  readonly compaction?: CompactionOptions
  /**
   * Clears old results, thoughts and files from what the model is sent, without a call of a model, and before a compaction.
   * The record of the run keeps them. Default: none.
   */
  readonly contextEditing?: ContextEditingOptions
  /**
   * The groups of which the agent is offered tools; `*`: all. Its subagents inherit them, and may only have fewer: the
   * groups that a subagent names count within these. Default: the group `default`, which binds no subagent.
   */
  readonly toolGroups?: readonly string[]
  /** The state in which the agent begins; `nextState` of its tools moves it. Default: `'undefined'`. */
  readonly toolState?: string
  /** Model calls, each with the tool calls that it leads to. Default: 5. */
  readonly maxSteps?: number
  /** Ends the run as `stopped` when a condition is true after a step that is not the answer. */
  readonly stopWhen?: StopCondition | readonly StopCondition[]
  /**
   * `'auto'`: the model answers, or calls tools and agents. `'none'`: it can only answer. `'required'`: it must call one of
   * them before it answers. `{ tool }`: it must call this one, by the name that the model sees. A required call holds from
   * the first step in which it is on offer until the model has made it; from then on it is as with `'auto'`, so that the
   * agent can end. A reply without the call is sent back once, then the run is `failed` (`TOOL_CALL_MISSING`).
   * Default: `'auto'`.
   */
  readonly toolChoice?: ToolChoice
  /** Calls of one step that run concurrently; a held one does not count. Default: 10. */
  readonly toolCallConcurrency?: number
  /**
   * Tool calls and delegations of one reply that are carried out; those beyond are answered to the model as errors.
   * Default: 128.
   */
  readonly maxToolCallsPerStep?: number
  /** How often a retryable error of a model or tool is tried again. Default: 3. */
  readonly retries?: number
  /** At a cap: one last model call without tools, or an end at once. Default: `'finalTurn'`. */
  readonly onExhausted?: 'finalTurn' | 'stop'
  /**
   * Keeps the text so far of an answer that is cut: by a cancel, a limit, or the failure of the last attempt. It is
   * `partialText` of the result; with `'thread'` the thread keeps it too, marked. The models stream then. Never kept: the
   * text of an agent with output processors, a structured answer, and a refusal. A crash loses it. Default: `false`.
   */
  readonly keepPartial?: boolean | 'thread'
  /** `'ignore'`: a hook that throws is announced and otherwise treated as absent. Default: `'fail'`. */
  readonly hookErrors?: 'fail' | 'ignore'
  /**
   * Milliseconds that each of these may take: a hook, filter, processor or predicate, a scorer without a timeout of its
   * own, the functions of the run, an asynchronous schema, and the store of threads and files. A longer one counts
   * as thrown (`HOOK_TIMEOUT`). Default: 60 000.
   */
  readonly hookTimeout?: number
  /**
   * What leads from one model of the row to the next: `'error'` for any failure, `'deadline'` for a call that takes too
   * long, `'refusal'` for a reply that is one, and codes of errors. A retryable error is tried again before (`retries`).
   * Errors of a limit never lead on. Each step begins with the first model. Default: `['error']`.
   */
  readonly fallbackOn?: readonly FallbackRule[]
  /**
   * Milliseconds that each call of the model may take; a longer call fails as `MODEL_TIMEOUT`, and is tried again as
   * `retries` allows. For models of your own: `openai()` has a `timeout`, and the shorter one applies. Default: none.
   */
  readonly modelTimeout?: number
  /**
   * The same call with the same arguments that many times in a row, in one step or over several, ends the agent as
   * `exhausted`, reason `loop`, after they were carried out. Default: any number of times.
   */
  readonly maxRepeatedCalls?: number
  /**
   * Limits over the root agent of a run and the whole tree below it; that of a subagent is for its own runs alone.
   * Reached, the agent that would call its model is `exhausted`, reason `budget`. Default: none.
   */
  readonly budget?: BudgetOptions
  /**
   * Chooses the successor's part of the conversation in a handoff. That of a run is called in the handoffs of all agents
   * that the conversation comes to in this run and that have none of their own. Default: all of it, at
   * most `delegation.maxMessages`.
   */
  readonly handoffFilter?: HandoffFilter
  /** Process the first messages of the agent, and those of people in mid-run, before its model reads them; one after the other. */
  readonly inputProcessors?: readonly InputProcessor[]
  /** Process each reply of the model before any other reader; one after the other. */
  readonly outputProcessors?: readonly OutputProcessor[]
  /** How often in one step the model is called again when an output processor asks for that. Default: 3. */
  readonly maxProcessorRetries?: number
  /** Observes each reply of the model. */
  readonly onStepFinish?: (context: StepFinishContext) => Awaitable<void>
  /** Observes the end, before it is final. Not called when the run is cancelled: after a cancel nothing starts. */
  readonly onFinish?: (context: FinishContext) => Awaitable<void>
}

/** How delegations to one subagent are run in the background. */
export interface BackgroundTask {
  /** `false`: the supervisor waits for the subagent, also if that has tools in the background. Default: `true`. */
  readonly enabled?: boolean
  /** Milliseconds that one may take; time in which it is held does not count. Default: as `delegation.timeout`. */
  readonly timeoutMs?: number
  /** How many run at a time, the others wait; a held one does not count. Default: 10. */
  readonly concurrency?: number
}

/** The options of a supervisor. */
export interface SupervisorOptions<Key extends string = string> extends AgentOptions {
  readonly delegation?: DelegationOptions<Key>
  readonly completion?: CompletionOptions
  /** Called with each iteration before it is scored. */
  readonly onIterationComplete?: (context: IterationContext) => Awaitable<IterationResult | void>
  /**
   * `'first'`: a bail ends the run at once. `'last'`: the delegations of the same step come to their end, and the last
   * one to bail wins. Neither waits for those in the background. Default: `'first'`.
   */
  readonly bailStrategy?: 'first' | 'last'
  /** Default: `'answer'`. */
  readonly scoreEvery?: 'answer' | 'iteration'
  /** Levels of delegation that are allowed below the root. A supervisor below it can only lower this. Default: 5. */
  readonly maxDepth?: number
  /**
   * Subagents that work in the background, by their keys: the model goes on, is notified when they have ended, and an
   * answer ends the run only when none is running any more. Those of a run override the definition's, key by key. A
   * subagent that has tools in the background, and is not named, works in the background too.
   */
  readonly backgroundTasks?: Readonly<Partial<Record<Key, BackgroundTask>>>
}

/** Options that only a run takes. */
export interface CallOptions {
  /** Cancels the run. */
  readonly signal?: AbortSignal
  /**
   * The id of the run: 1 to 128 letters, digits, "-", "_" or ".", and not "." or "..". A start with an id that the store has rejects with a
   * `RunExistsError`, so that a start whose answer was lost may be repeated. Default: a new one.
   */
  readonly runId?: string
  /** Replaces the agent's own instructions for this run. */
  readonly instructions?: string
  /** The conversation to go on with, where the agent has `memory`. Default: a new one. */
  readonly threadId?: string
  /** The user or entity that the run works for: owns its threads, and the notes in working memory. */
  readonly resourceId?: string
  /**
   * Groups the runs of one conversation: tags every journal entry, event and message of a thread; see
   * `troupe.runs({ conversationId })` and `troupe.memory.threads({ conversationId })`.
   */
  readonly conversationId?: string
  /** The id of the prompt, as the event `run-start` shows it: of the message that asks, for example. Default: none. */
  readonly promptId?: string
  /**
   * The run repeats one that a restore of its store has lost: calls of it may have been made before, and ask first. Default:
   * `false`.
   */
  readonly restored?: boolean
  /**
   * The W3C trace context that the run belongs to, for example `00-<32 hex>-<16 hex>-01`. It is in the journal, and
   * wrappers of `createTroupe({ around })` read it with each effect; with `troupe.resume` that of the work from then on.
   */
  readonly traceparent?: string
  /**
   * The W3C tracestate that came with `traceparent`, for example `vendor=value`: it is kept and passed on with it. At most 32
   * members and 512 characters; one without `traceparent` is refused. Default: none.
   */
  readonly tracestate?: string
  /**
   * Passed to the functions and tools of all agents of the run: JSON, of the shape of `contextSchema` where the agent
   * has one.
   */
  readonly context?: unknown
  /**
   * Tools of the client that starts the run, such as a page: the model is offered them beside those of the agent, for this run.
   * A call of one is suspended with its arguments as the payload; `run.resume` gives its result, and `run.deny` says why there
   * is none. At most 64; the agent must have a pattern that takes tools, and none of these names. Default: none.
   */
  readonly clientTools?: readonly ClientTool[]
  /**
   * The versions that the run takes of the root agent and of all agents below it, by their ids. Overrides those of the
   * troupe, agent by agent; resolved once, when the run begins. Default: the troupe's.
   */
  readonly versions?: VersionOverrides
  /** Whether models stream their replies. Default: `true`, for `generate` `false`. */
  readonly stream?: boolean
  /**
   * Receives the problems of this run in place of the troupe's `onError`. It is not journaled: give it again with
   * `troupe.resume`. Default: the troupe's, else one `console.warn` each.
   */
  readonly onError?: OnError
}
