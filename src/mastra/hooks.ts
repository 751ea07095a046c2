/** The hooks of Mastra: their contexts, with subagents by the keys of the record in which they stand. */
import type {
  CompletionOptions,
  CompletionResult,
  DelegationCompleteContext as TroupeCompleteContext,
  DelegationOptions,
  DelegationStartContext as TroupeStartContext,
  FinishReason,
  HookError,
  IterationContext,
  Message,
  MessageFilterContext,
  Scorer,
  StopContext,
  ToolResultRecord,
  Usage,
} from '../index.ts'

type Awaitable<Value> = Value | Promise<Value>

/** A call of a step, by either of its names. */
export interface StepToolCall {
  readonly name: string
  readonly args: unknown
}

/** A step that has ended. */
export interface StepResult {
  /** From 1. */
  readonly step: number
  readonly text: string
  readonly toolCalls: readonly StepToolCall[]
  readonly usage: Usage
}

/** Ends the run where it answers `true`. */
export type StopCondition = (context: StopContext) => Awaitable<boolean>

/** The argument of `onIterationComplete`, and of the delegation hooks as `iterationContext`. */
export interface IterationCompleteContext {
  /** From 1. */
  iteration: number
  maxSteps: number
  /** As `maxSteps`. */
  maxIterations: number
  messages: Message[]
  originalTask: string
  text: string
  finishReason: FinishReason
  isFinal: boolean
  currentStep: {
    text: string
    toolCalls: StepToolCall[]
    toolResults: ToolResultRecord[]
    finishReason: FinishReason
  }
  allSteps: StepResult[]
  /** The keys of the subagents whose delegations have ended. */
  subAgentsInvoked: string[]
  threadId?: string
  resourceId?: string
  runId: string
  agentId: string
}

/** The argument of `onIterationComplete` in a network. */
export interface NetworkIterationContext extends IterationCompleteContext {
  /** The key of the subagent that has just worked; absent where none has. */
  subAgentInvoked?: string
}

/** The answer of `onIterationComplete`. */
export interface IterationCompleteResult {
  /** `false` ends the run; `true` is no objection. */
  readonly continue: boolean
  /** For the very next prompt. */
  readonly feedback?: string
}

/** The argument of `onDelegationStart`. */
export interface DelegationStartContext {
  /** The key of the subagent. */
  agentName: string
  /** The id of the subagent. */
  primitiveId: string
  primitiveType: 'agent'
  prompt: string
  /** The iteration of the supervisor. */
  iteration: number
  args: { prompt: string; threadId?: string; resourceId?: string; instructions?: string; maxSteps?: number }
  iterationContext: IterationCompleteContext
  runId: string
  toolCallId: string
}

/** The answer of `onDelegationStart`. */
export interface DelegationStartResult {
  /** `false` rejects. Default: `true`. */
  readonly proceed?: boolean
  readonly rejectionReason?: string
  readonly modifiedPrompt?: string
  readonly modifiedInstructions?: string
  readonly modifiedMaxSteps?: number
}

/** The argument of `onDelegationComplete`. */
export interface DelegationCompleteContext extends DelegationStartContext {
  result: { text: string; subAgentThreadId?: string; subAgentToolResults: ToolResultRecord[] }
  /** Why the subagent failed; in a template string it is its message. */
  error?: HookError
  /** Milliseconds. */
  duration: number
  /** Ends the run with this subagent's text. */
  bail: () => void
}

/** The answer of `onDelegationComplete`. */
export interface DelegationCompleteResult {
  /** For the supervisor's very next prompt. */
  readonly feedback?: string
}

/** The hooks of delegations. */
export interface DelegationConfig {
  /** Called before a subagent works: lets it work, changes its prompt, or rejects. Default: none. */
  readonly onDelegationStart?: (
    context: DelegationStartContext,
  ) => Awaitable<DelegationStartResult | undefined | void>
  /** Called when a subagent has ended: gives feedback, or ends the run by `bail()`. Default: none. */
  readonly onDelegationComplete?: (
    context: DelegationCompleteContext,
  ) => Awaitable<DelegationCompleteResult | undefined | void>
  /** Chooses the messages that a subagent sees. Default: the whole conversation, without tool parts. */
  readonly messageFilter?: (context: {
    messages: Message[]
    primitiveId: string
    primitiveType: 'agent'
    prompt: string
    iteration: number
  }) => Awaitable<readonly Message[]>
  /** The supervisor's model also reads the results of a subagent's tools. Default: `false`. */
  readonly includeSubAgentToolResultsInModelContext?: boolean
}

/** The argument of `onComplete`. */
export interface CompletionRunResult {
  complete: boolean
  outcome: CompletionResult['outcome']
  results: CompletionResult['results'][number][]
  iteration: number
  runId: string
}

/** The scorers that decide whether the task is done. */
export interface CompletionConfig {
  /** From `createScorer(…).generateScore(fn)`. */
  readonly scorers: readonly Scorer[]
  /** Whether all must pass, or any. Default: `'all'`. */
  readonly strategy?: 'all' | 'any'
  /** An unmet one asks for another iteration. Default: `false` as `completion` of a stream, `true` as `isTaskComplete` and in a network. */
  readonly continueOnFail?: boolean
  /** The model reads why it is unmet. Default: `true`. */
  readonly feedbackToLLM?: boolean
  /** Milliseconds for all scorers. Default: 30 000. */
  readonly timeout?: number
  /** Scorers work side by side. Default: `true`. */
  readonly parallel?: boolean
  /** Observes the results. Default: none. */
  readonly onComplete?: (result: CompletionRunResult) => Awaitable<void>
}

/** The keys of subagents, by their ids. */
export type Keys = ReadonlyMap<string, string>

/** What a hook adds to, or replaces in, the context of this library. Getters stay getters: a history is read on demand. */
function having<Context extends object, More extends object>(context: Context, more: More): Context & More {
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(context))
  return Object.defineProperties(copy, Object.getOwnPropertyDescriptors(more)) as Context & More
}

function iterationOf(context: IterationContext, keys: Keys): IterationCompleteContext {
  const subAgentsInvoked = context.subAgentsInvoked.map((id) => keys.get(id) ?? id)
  return having(context, { subAgentsInvoked }) as unknown as IterationCompleteContext
}

function startOf(context: TroupeStartContext, keys: Keys): DelegationStartContext {
  const args = Object.fromEntries(Object.entries(context.args).filter(([, value]) => value !== null))
  const iterationContext = iterationOf(context.iterationContext, keys)
  return having(context, { args, iterationContext }) as unknown as DelegationStartContext
}

function completeOf(context: TroupeCompleteContext, keys: Keys): DelegationCompleteContext {
  const { toolResults: subAgentToolResults } = context.result
  const result = { ...context.result, subAgentToolResults: [...subAgentToolResults] }
  const { args, iterationContext } = startOf(context, keys)
  const bail = (): void => context.bail()
  return having(context, {
    args,
    iterationContext,
    result,
    bail,
  })
}

/** The delegation hooks, as this library takes them. */
export function delegationHooks(
  { onDelegationStart, onDelegationComplete, messageFilter, ...rest }: DelegationConfig,
  keys: Keys,
): DelegationOptions {
  return {
    ...rest,
    ...(onDelegationStart && {
      onDelegationStart: async (context: TroupeStartContext) =>
        (await onDelegationStart(startOf(context, keys))) ?? undefined,
    }),
    ...(onDelegationComplete && {
      onDelegationComplete: async (context: TroupeCompleteContext) =>
        (await onDelegationComplete(completeOf(context, keys))) ?? undefined,
    }),
    ...(messageFilter && {
      messageFilter: (context: MessageFilterContext) =>
        messageFilter(having(context, { messages: [...context.messages] })),
    }),
  }
}

type IterationHook<Context> = (context: Context) => Awaitable<IterationCompleteResult | undefined | void>

export function iterationHook(hook: IterationHook<IterationCompleteContext>, keys: Keys) {
  return async (context: IterationContext): Promise<IterationCompleteResult | void> =>
    (await hook(iterationOf(context, keys))) ?? undefined
}

/** An iteration of a network is one primitive: where it was a subagent, the context names it. */
export function networkHook(hook: IterationHook<NetworkIterationContext>, keys: Keys) {
  return async (context: IterationContext): Promise<IterationCompleteResult | void> => {
    const [, subAgentInvoked] = /^agent-(.+)$/.exec(context.currentStep.toolCalls[0]?.name ?? '') ?? []
    const more = subAgentInvoked === undefined ? {} : { subAgentInvoked }
    return (await hook(having(iterationOf(context, keys), more))) ?? undefined
  }
}

/** `continueOnFail`: what holds where it is not given. */
export function completionOf(config: CompletionConfig, continueOnFail: boolean): CompletionOptions {
  const { onComplete, ...rest } = config
  return {
    continueOnFail,
    ...rest,
    ...(onComplete && {
      onComplete: (result: CompletionResult) => onComplete(having(result, { results: [...result.results] })),
    }),
  }
}
