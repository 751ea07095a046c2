/** The contexts that hooks are called with: the data of the machine, and the iteration. */
import type { EffectInput } from '../../../actors/effect-kinds.ts'
import type { Message } from '../../../actors/message.ts'
import { AppendLog } from '../../../actors/values/append-log.ts'
import { Derived } from '../../../actors/values/derived.ts'
import { deepFreeze } from '../../../actors/values/frozen.ts'
import { ownGetters } from '../../../actors/values/own-getters.ts'
import type { ErrorData } from '../../../errors.ts'
import type { DelegationRecord, ScorerResult } from '../../../machines/contract/records.ts'
import type { SubagentResult } from '../../options/options.ts'
import { withThreads } from '../../handle/result.ts'
import { iterationContext, loopOf, withIteration, type HookedRun } from './iteration-context.ts'
import { printable, withPrintable } from '../../options/printable.ts'

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

/** The context of a hook without fields of its own besides the data. */
export function plainContext(data: Data, of: HookedRun): HookContext {
  return withIteration(plain(data), iterationContext(loopOf(data), of))
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
