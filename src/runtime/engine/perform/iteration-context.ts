/** The iteration of an agent, as its hooks are shown it. Lists are made when a hook reads them, and never recorded. */
import { below } from '../../../actors/actor-path.ts'
import { Derived } from '../../../actors/values/derived.ts'
import { once } from '../../../actors/values/once.ts'
import { ownGetters } from '../../../actors/values/own-getters.ts'
import { isAnswer } from '../../../machines/loop/changes/context.ts'
import type { LoopView } from '../../../machines/contract/agent.ts'
import type { StepRecord } from '../../../machines/contract/records.ts'
import type { IterationContext } from '../../options/options.ts'
import { printableStep, withPrintable } from '../../options/printable.ts'

/** The run that calls a hook. */
export interface HookedRun {
  readonly runId: string
  /** Of a fork: tells the threads that its agents name. */
  readonly descent?: { threadNamed(name: string): string } | undefined
}

/** The context of a hook: its own fields, and the fields of the iteration that it has none of its own for. */
export function withIteration(own: object, iteration: IterationContext): Record<string, unknown> {
  const fields = { ...Object.getOwnPropertyDescriptors(iteration), ...Object.getOwnPropertyDescriptors(own) }
  return Object.defineProperties({}, fields)
}

/** `invoked`: a subagent whose delegation has just ended, which is not on record yet. */
export function iterationContext(loop: LoopView, of: HookedRun, invoked?: string): IterationContext {
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
export function loopOf(data: Readonly<Record<string, unknown>>): LoopView {
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
