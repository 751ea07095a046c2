/** The contexts that hooks are called with: the data of the machine, and the iteration. */
import type { EffectInput } from '../../../actors/effects/effect-kinds.ts'
import type { Message } from '../../../actors/message.ts'
import { AppendLog } from '../../../actors/values/append-log.ts'
import { Derived } from '../../../actors/values/derived.ts'
import { deepFreeze } from '../../../actors/values/frozen.ts'
import { ownGetters } from '../../../actors/values/own-getters.ts'
import type { ErrorData } from '../../../errors.ts'
import type { DelegationRecord, ScorerResult, StepRecord } from '../../../machines/contract/records.ts'
import type { SubagentResult, IterationContext, HookError } from '../../options/options.ts'
import { withThreads } from '../../handle/result.ts'
import { below } from '../../../actors/actor-path.ts'
import { once } from '../../../actors/values/once.ts'
import { isAnswer } from '../../../machines/loop/changes/context.ts'
import type { LoopView } from '../../../machines/contract/agent.ts'

type Data = EffectInput<'hook'>['data']
type Work = Pick<DelegationRecord, 'toolResults' | 'threadId' | 'reason'>
export type HookContext = Record<string, unknown>

const fieldsOfIteration: ReadonlySet<string> = new Set(['task', 'threadId'])

/**
 * The data of the machine, frozen: a hook cannot reach into a context. Its lists, its task and its thread are fields of the iteration.
 */
function plain(data: Data): HookContext {
  const copy: HookContext = {}
  for (const [name, value] of Object.entries(data)) {
    if (value instanceof AppendLog || value instanceof Derived || fieldsOfIteration.has(name)) continue
    copy[name] = name === 'error' && value !== undefined ? printable(value as ErrorData) : deepFreeze(value)
  }
  return copy
}

/** Errors for the user's functions: in a template string they print as their message. They are JSON as before. */
function printable(error: ErrorData): HookError {
  const copy = { ...error, ...(error.cause === undefined ? {} : { cause: printable(error.cause) }) }
  return Object.freeze(Object.defineProperty(copy, 'toString', { value: () => error.message }))
}

interface Failed {
  readonly error?: ErrorData
}

/** Copies only the items that have an error. */
function withPrintable<Item extends Failed>(items: readonly Item[]): readonly Item[] {
  return items.some(({ error }) => error !== undefined)
    ? items.map((item) => (item.error === undefined ? item : { ...item, error: printable(item.error) }))
    : items
}

function printableStep(step: StepRecord): StepRecord {
  const toolResults = withPrintable(step.toolResults)
  return toolResults === step.toolResults ? step : { ...step, toolResults }
}

/** The context of a hook without fields of its own besides the data. */
export function plainContext(data: Data, of: HookedRun): HookContext {
  return withIteration(plain(data), iterationContext(loopOf(data), of))
}

// The iteration of an agent, as its hooks are shown it. Lists are made when a hook reads them, and never recorded.

/** The run that calls a hook. */
interface HookedRun {
  readonly runId: string
  /** Of a fork: tells the threads that its agents name. */
  readonly descent?: { threadNamed(name: string): string } | undefined
}

/** The context of a hook: its own fields, and the fields of the iteration that it has none of its own for. */
function withIteration(own: object, iteration: IterationContext): Record<string, unknown> {
  const fields = { ...Object.getOwnPropertyDescriptors(iteration), ...Object.getOwnPropertyDescriptors(own) }
  return Object.defineProperties({}, fields)
}

/** `invoked`: a subagent whose delegation has just ended, which is not on record yet. */
function iterationContext(loop: LoopView, of: HookedRun, invoked?: string): IterationContext {
  const { input, ledger, messages, step } = loop
  const { runId, descent } = of
  const { threadId, resourceId } = input
  const { id } = input.profile
  const steps = once(() => ledger.steps.toArray().map(printableStep))
  const current = once(() => currentStep(loop))
  const fields = {
    runId,
    agentId: id,
    supervisorId: id,
    iteration: step,
    maxSteps: input.maxSteps,
    maxIterations: input.maxSteps,
    isFinal: isAnswer(loop.reply) || step >= input.maxSteps,
    originalTask: input.task,
    ...(threadId === undefined ? {} : { threadId: descent?.threadNamed(threadId) ?? threadId }),
    ...(resourceId === undefined ? {} : { resourceId }),
  }
  const agents = (): string[] => {
    const before = ledger.delegations.toArray().map(({ agent }) => agent)
    return [...new Set(invoked === undefined ? before : [...before, invoked])]
  }
  return withLists(fields, { current, steps, messages: () => messages.toArray(), agents })
}

type Lists = Pick<
  IterationContext,
  'text' | 'finishReason' | 'currentStep' | 'messages' | 'steps' | 'allSteps' | 'subAgentsInvoked'
>

interface ListsSource {
  readonly current: () => IterationContext['currentStep']
  readonly steps: () => IterationContext['steps']
  readonly messages: () => IterationContext['messages']
  readonly agents: () => IterationContext['subAgentsInvoked']
}

const withLists = /* @__PURE__ */ ownGetters<ListsSource, Lists>({
  text: ({ current }) => current().text,
  finishReason: ({ current }) => current().finishReason,
  currentStep: ({ current }) => current(),
  messages: ({ messages }) => messages(),
  steps: ({ steps }) => steps(),
  allSteps: ({ steps }) => steps(),
  subAgentsInvoked: ({ agents }) => agents(),
})

/** The view that a machine gives with a hook. */
function loopOf(data: Readonly<Record<string, unknown>>): LoopView {
  const { loop } = data
  if (loop instanceof Derived) return loop.value as LoopView
  throw new TypeError('The effect of a hook has no view of its loop.') // a fault of a machine
}

/** A step that is on record, or the step under way with the outcomes that its calls have so far. */
function currentStep({
  calls,
  input,
  ledger,
  reply,
  settled,
  step,
}: LoopView): IterationContext['currentStep'] {
  const last: StepRecord | undefined = ledger.steps.at(-1)
  if (last?.step === step) {
    const { text, toolCalls, toolResults, finishReason } = printableStep(last)
    return { text, toolCalls, toolResults, finishReason }
  }
  return {
    text: reply?.text ?? '',
    toolCalls: calls.map(({ child, call: { name, args } }) => ({ id: below(input.path, child), name, args })),
    toolResults: withPrintable(settled.toArray().map(({ result }) => result)),
    finishReason: reply?.finishReason ?? 'unknown',
  }
}

/** `invoked`: the subagent whose delegation has ended. */
export function delegationContext(data: Data, of: HookedRun, invoked?: string): HookContext {
  const iteration = iterationContext(loopOf(data), of, invoked)
  const own = {
    ...plain(data),
    primitiveId: data['agentId'],
    primitiveType: 'agent',
    toolCallId: data['delegationId'],
    iterationContext: iteration,
  }
  return withIteration(withShared(own, data), iteration)
}

/** The conversation that may be shared: without the task, where the subagent is given the task itself. */
const withShared = /* @__PURE__ */ ownGetters<Data, { readonly messages: readonly Message[] }>({
  messages: (data) => (data['messages'] as AppendLog<Message>).toArray(),
})

export function reviewContext(data: Data, of: HookedRun, more: object): HookContext {
  const context = delegationContext(data, of, String(data['agentId']))
  return Object.assign(context, { result: subagentResult(data, of), ...more })
}

function subagentResult({ text, work }: Data, { descent }: HookedRun): SubagentResult {
  const threadNamed = descent && ((name: string) => descent.threadNamed(name))
  const { toolResults, threadId, reason } = withThreads((work as Derived<Work>).value, threadNamed)
  return deepFreeze({
    text: text as string,
    toolResults: withPrintable(toolResults),
    ...(threadId === undefined ? {} : { subAgentThreadId: threadId }),
    ...(reason === undefined ? {} : { reason }),
  })
}

export function handoffContext(data: Data, of: HookedRun): HookContext {
  const { from, to, reason, input, resumed } = data
  const own = {
    from,
    to,
    ...(reason === undefined ? {} : { reason }),
    ...(input === undefined ? {} : { input: deepFreeze(input) }),
    ...(resumed === undefined ? {} : { resumed }),
  }
  return withIteration(own, iterationContext(loopOf(data), of))
}

export function stepContext(data: Data, of: HookedRun): HookContext {
  const { text, toolCalls, finishReason, usage } = deepFreeze(data['reply']) as HookContext
  return withIteration(
    { step: data['step'], text, toolCalls, finishReason, usage },
    iterationContext(loopOf(data), of),
  )
}

export function finishContext(data: Data, of: HookedRun): HookContext {
  return withIteration({ ...plain(data), isFinal: true }, iterationContext(loopOf(data), of))
}

export function completionContext(data: Data, of: HookedRun): HookContext {
  const results = withPrintable(data['results'] as readonly ScorerResult[])
  return withIteration({ ...plain(data), results }, iterationContext(loopOf(data), of))
}
