/** A tool: a described function that a model may call, with checked arguments. */
import type { InspectionEvent } from 'xstate'
import type { StoreErrorCode, TroupeError } from '../errors.ts'
import type { ToolDescription } from './chat-model.ts'
import type { Prompt } from './message.ts'
import type { AnyContext, InferOutput, Schema } from './schemas/schema.ts'
import type { JsonValue } from './values/json.ts'

/**
 * The policy for a call that had started and not settled when the process died: run it again (with the same
 * idempotency key, at most `maxInterruptions` times, then as `'ask'`), ask a person
 * (`run.resume(id, { retry: true } | { result })`), or fail it.
 */
export type OnInterrupted = 'retry' | 'ask' | 'fail'

/** The error codes by which the abort signal of a call tells why it has fired. */
export type AbortCode =
  /** The run, or its delegation, was cancelled. */
  | 'CANCELLED'
  /** The time of the call, of its delegation or of the run is up. */
  | 'TOOL_TIMEOUT'
  | 'HOOK_TIMEOUT'
  | 'DELEGATION_TIMEOUT'
  | 'BUDGET_EXCEEDED'
  /** The troupe was closed, or its drain is at the deadline: the run has not ended, and the call is made again where the run goes on. */
  | 'TROUPE_CLOSED'
  /** Another troupe has taken the run, and goes on with it. */
  | 'LEASE_LOST'
  /** The store has failed: the run stops here as it is. */
  | StoreErrorCode

/** Why an abort signal has fired: `code` tells a cancel, a timeout, a close and a lost lease apart. */
export type AbortReason = TroupeError & { readonly code: AbortCode }

/** The abort signal of a call. */
export interface ToolSignal extends AbortSignal {
  /** `undefined` until it fires. */
  readonly reason: AbortReason | undefined
}

/** The options of a run that a tool or a workflow begins. */
export interface NestedRunOptions {
  /**
   * Names the run among those of the call: a repeated attempt finds it by that. Default: the order in which the call begins
   * its runs, which must then be the same in every attempt.
   */
  readonly name?: string
}

/** An agent, as far as `start` needs it. */
export interface Startable<Result, Args extends readonly unknown[]> {
  readonly id: string
  generate(prompt: Prompt, ...options: Args): Promise<Result>
}

/** The options of a run of the agent, and those of a nested run. */
export type WithNested<Args extends readonly unknown[]> = {
  readonly [Position in keyof Args]: Args[Position] & NestedRunOptions
}

/**
 * Begins a run within the run of the call, or finds it again, and resolves with its end. It is durable by the idempotency key
 * of the call and a `name`: where the call is made again, after a crash or by a retry, the run goes on from its journal, once,
 * in whichever process it is, and a run that has ended gives its result. It is cancelled with the call, never by `close()`;
 * while it waits for a person the `timeout` of the call stands still. Its agent must be one of the troupe's.
 * Rejects with a `NestedRunError` (`NESTED_RUN_DIFFERS` for another agent or prompt under the same name;
 * `NESTED_RUN_UNSUPPORTED` on Restate), a `TerminalError` of the code `MAX_DEPTH`, a `BudgetExceededError`, a
 * `ConfigurationError`, and with the reason of `signal` once that has fired.
 */
export type StartRun = <Result, Args extends readonly unknown[]>(
  agent: Startable<Result, Args>,
  prompt: Prompt,
  ...options: WithNested<Args>
) => Promise<Exclude<Result, { readonly outcome: 'suspended' }>>

/** The options of `suspend`. */
export interface SuspendOptions {
  /** The name by which `answers.named` finds the answer. Default: none. */
  readonly name?: string
  /**
   * When the call goes on without an answer: a date, or milliseconds since 1970. The answer then has `woken`. The run may leave
   * memory until then. Default: never.
   */
  readonly until?: Date | number
}

/** A suspension of the call, and what it was answered with. */
export interface SuspensionAnswer {
  /** The name that `suspend` was given. */
  readonly name?: string
  /** The payload that `suspend` was given; `null` without one. */
  readonly payload: JsonValue
  /** The data of `run.resume`; `null` without any. */
  readonly data: JsonValue
  /** The person or program that answered. */
  readonly by?: string
  /** The reason or the condition of the answer. */
  readonly note?: string
  /** Nobody answered: the time of `until` came. */
  readonly woken?: true
}

/** The answers to a call, the first one first. */
export interface SuspensionAnswers extends ReadonlyArray<SuspensionAnswer> {
  /** Returns the last answer to a suspension of this name; `undefined`: there is none yet. */
  named(name: string): SuspensionAnswer | undefined
}

/** The second argument of `execute`: the signal and the ids of the call, and the context of the run. */
export interface ToolExecution<Context = unknown> {
  /**
   * Fires when the run is cancelled, when the call or its delegation times out, and when this process lets go of the run;
   * not when another agent bails. The `code` of its `reason` tells them apart: `CANCELLED` (a `CancelledError` whose message
   * is the reason of the cancel), `TOOL_TIMEOUT`, `DELEGATION_TIMEOUT`, `HOOK_TIMEOUT` and `BUDGET_EXCEEDED` of a time that is
   * up, `TROUPE_CLOSED` (a `TroupeClosedError`), `LEASE_LOST` (a `LeaseLostError`), or the code of a `StoreError`. After the
   * last three the run has not ended: the call is made again where the run goes on.
   */
  readonly signal: ToolSignal
  /** The same on every attempt of this call, also after a crash. */
  readonly idempotencyKey: string
  readonly runId: string
  /** The agent that called. */
  readonly agent: string
  readonly toolCallId: string
  /** Begins a run of another agent within this call, or finds it again. */
  readonly start: StartRun
  /**
   * Ends this attempt and holds the call until `run.resume(toolCallId, data)`, or until the time of `until`; `execute` then runs again, from its
   * beginning. A call may be suspended several times: `answers` has the data of each.
   */
  suspend(payload?: unknown, options?: SuspendOptions): never
  /**
   * Reports progress: the readers of `run.events` get a `tool-progress` with the value. It is JSON of at most 65 536
   * characters; another value throws a `TerminalError` (`TOOL_PROGRESS_INVALID`). The journal does not have it: it is live
   * only, a replay does not tell it again, and what comes after the end of the call is dropped.
   */
  emit(value: unknown): void
  /** Passes events of XState actors that the tool runs to the inspector of the troupe; absent without one. */
  readonly inspect: ((event: InspectionEvent) => void) | undefined
  /** The data given to `run.resume` last; `undefined` before the first. */
  readonly resumeData: JsonValue | undefined
  /** All suspensions of this call with their answers, by order and by `named(name)`; after a restart too. */
  readonly answers: SuspensionAnswers
  /** The context of the run; parsed by `contextSchema`, where the tool has one. */
  readonly context: Context
}

/** `Context` is the schema of the run's context; without one it is JSON, if it was given at all. */
export interface ToolConfig<Input extends Schema, Output, Context extends Schema = AnyContext> {
  readonly id: string
  /** Tells the model what the tool does and when to use it. */
  readonly description: string
  /** The arguments: an object schema (zod, or any Standard Schema that can describe itself as JSON Schema). */
  readonly inputSchema: Input
  /**
   * Asks the server to hold the model to the schema of the arguments. The schema must then require each of its properties
   * and allow no others: `createTool` refuses one that does not. A server that does not know the field ignores it, and the
   * arguments are checked here in any case. Default: `false`.
   */
  readonly strict?: boolean
  /** Checked after `execute`; a result that does not fit fails the call. */
  readonly outputSchema?: Schema<unknown, Output>
  /** The context that a run must have been given for the tool to work; checked at each call. */
  readonly contextSchema?: Context
  /** A person must approve each call (`true`), or those for which the predicate answers `true`. Default: `false`. */
  readonly requireApproval?: boolean | ((input: InferOutput<Input>) => boolean | Promise<boolean>)
  /** Milliseconds after which a call that waits for approval counts as denied. Default: none. */
  readonly approvalTimeout?: number
  /**
   * Milliseconds that each attempt may take, its schemas included; the call then fails (`TOOL_TIMEOUT`) and is not
   * retried. Time in which the call is held does not count, nor does a pause between attempts. Default: none.
   */
  readonly timeout?: number
  /** Default: `'retry'`. */
  readonly onInterrupted?: OnInterrupted
  /**
   * `true`: a call does no harm where it was made before, also under another idempotency key: it only reads, or what it does
   * twice counts once. After a restore such calls are made without a question. Default: `false`.
   */
  readonly repeatable?: boolean
  /**
   * How often an interrupted call is run again before a person is asked as with `'ask'`. Only attempts that had begun
   * when the process died count. Default: 3.
   */
  readonly maxInterruptions?: number
  /**
   * Calls by an agent of `createAgent` or `createSupervisor` run in the background: the model goes on at once and reads the
   * result in a later prompt; an answer waits for it. Agents of other patterns wait for each call. `true`: with the
   * defaults. A supervisor delegates in the background to a subagent that has such a tool, unless its `backgroundTasks`
   * name the subagent; a subagent that works in the background waits for its own calls. Default: `false`.
   */
  readonly background?: boolean | ToolBackground
  /** The groups of the tool; `*`: all. It is offered to agents that ask for one of them. Default: `['default']`. */
  readonly groups?: readonly string[]
  /** The states of the agent in which the tool is offered; `*`: all. Default: `['*']`. */
  readonly applicableStates?: readonly string[]
  /** The state of the agent after a call has succeeded. Default: none, the state stays as it is. */
  readonly nextState?: string
  /**
   * Performs the call. Its result is written as JSON: fields that are `undefined` are left out, `toJSON` is used. A
   * value that JSON would change or drop fails the call, `TOOL_RESULT_NOT_JSON`. A `RetryableError` is tried again; any
   * other error fails the call, and the model learns of the failure without the message.
   */
  readonly execute: (
    input: InferOutput<Input>,
    execution: ToolExecution<InferOutput<Context>>,
  ) => Output | Promise<Output>
}

/** How the calls of a tool are run in the background. */
export interface ToolBackground {
  /** How many calls of one agent run at a time, the others wait; a held one does not count. Default: 10. */
  readonly concurrency?: number
}

/** A tool, from `createTool`. `Output` is the type of its results. */
export interface Tool<Output = unknown> {
  readonly id: string
  readonly description: string
  readonly inputSchema: Schema
  readonly parameters: Readonly<Record<string, JsonValue>>
  readonly strict: boolean
  readonly outputSchema: Schema | undefined
  readonly contextSchema: Schema | undefined
  readonly requireApproval: boolean | ((input: unknown) => boolean | Promise<boolean>)
  readonly approvalTimeout: number | undefined
  readonly timeout: number | undefined
  readonly onInterrupted: OnInterrupted
  /** Set where a call may be made again without a question. */
  readonly repeatable?: true
  readonly maxInterruptions: number
  /** `undefined`: each call is waited for. */
  readonly background: Required<ToolBackground> | undefined
  readonly groups: readonly string[]
  readonly applicableStates: readonly string[]
  readonly nextState: string | undefined
  execute(input: unknown, execution: ToolExecution): unknown
  /** Set for a tool of a client (`clientTools`): its calls are suspended until the client gives their results. */
  readonly isClient?: true
  /** Set by `deferTools`: the tool is offered once a search has found it. */
  readonly deferred?: true
  /** Set for the search tool of `deferTools`, in place of `execute`. `among`: the tools that may be found. */
  readonly finds?: (
    input: { readonly query: string },
    among: readonly ToolDescription[],
    signal: AbortSignal,
  ) => Promise<{ readonly found: readonly string[] }>
  /** Set where `finds` calls a function of the user. */
  readonly searches?: true
  /** Never set: the type of its results. */
  readonly output?: Output
}

/** How often a call may end its process before a person is asked. */
export const defaultInterruptions = 3

/** A list of its own, with the lookup by name: the one that is given belongs to the machine. */
export function answersOf(given: readonly SuspensionAnswer[] | undefined): SuspensionAnswers {
  return given === undefined || given.length === 0 ? noAnswers : madeAnswers(given)
}

const noAnswers = /* @__PURE__ */ madeAnswers([])

function madeAnswers(given: readonly SuspensionAnswer[]): SuspensionAnswers {
  const named = (name: string): SuspensionAnswer | undefined =>
    given.findLast((answer) => answer.name === name)
  const answers = Object.assign([...given], { named })
  Object.defineProperty(answers, 'named', { enumerable: false })
  return Object.freeze(answers)
}
