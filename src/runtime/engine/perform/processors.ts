/** Calls one processor of a chain; the chart decides the consequence of its answer, and whether another is called. */
import type { AppendLog } from '../../../actors/values/append-log.ts'
import type { EffectInput } from '../../../actors/effect-kinds.ts'
import { deepFreeze } from '../../../actors/values/frozen.ts'
import type { Message } from '../../../actors/message.ts'
import type { Tripwire } from '../../../actors/processor.ts'
import { ConfigurationError, toErrorData, type ErrorData } from '../../../errors.ts'
import type { SupervisorOptions } from '../../options/options.ts'
import type { PerformContext } from './context.ts'
import { abortOf, checkedAnswer, type Abort } from './processor-answer.ts'

type HookInput = EffectInput<'hook'>
export async function processInput(
  { data, agent }: HookInput,
  processors: NonNullable<SupervisorOptions['inputProcessors']>,
  context: PerformContext,
): Promise<unknown> {
  const { runId } = context
  const { task, messages, next } = data as { task: string; messages: AppendLog<Message>; next: number }
  const { value, ...end } = await askOne(
    processors[next],
    next,
    undefined as readonly Message[] | undefined,
    async (processor, _, abort) => {
      // Frozen: a change in place must not look like a returned one.
      const shown = deepFreeze([...messages])
      const answer = await processor.processInput({ runId, agentId: agent, task, messages: shown, abort })
      return checkedAnswer('processInput', processor.id, answer) ?? undefined
    },
    context,
  )
  return { messages: value ?? null, ...end }
}

export async function processOutput(
  { data, agent }: HookInput,
  processors: NonNullable<SupervisorOptions['outputProcessors']>,
  context: PerformContext,
): Promise<unknown> {
  const { runId } = context
  const { text, messages, next, ...reply } = data as {
    text: string
    messages: AppendLog<Message>
    next: number
    step: number
    toolCalls: readonly { readonly name: string; readonly args: unknown }[]
  }
  const { value, ...end } = await askOne(
    processors.filter((processor) => processor.processOutput !== undefined)[next],
    next,
    text,
    async (processor, text, abort) => {
      const shown = { ...reply, toolCalls: deepFreeze(reply.toolCalls), messages: messages.toArray() }
      const answer = await processor.processOutput?.({ runId, agentId: agent, ...shown, text, abort })
      return checkedAnswer('processOutput', processor.id, answer) ?? text
    },
    context,
  )
  return { text: value, ...end }
}

interface End<Value> {
  readonly value: Value
  /** The position of the processor to call after it. */
  readonly next: number
  readonly failure: ErrorData | null
  readonly tripwire: Tripwire | null
}

/**
 * Calls one processor. Each processor is an effect of its own: it has its own deadline, and the output of those before
 * it is on record.
 */
async function askOne<Processor extends { readonly id: string }, Value>(
  processor: Processor | undefined,
  position: number,
  value: Value,
  ask: (processor: Processor, value: Value, abort: Abort) => Promise<Value>,
  context: Pick<PerformContext, 'failed'>,
): Promise<End<Value>> {
  const next = position + 1
  if (processor === undefined) throw new ConfigurationError(`There is no processor at position ${position}.`)
  let tripwire: Tripwire | null = null
  const abort = abortOf(processor.id, (refused) => (tripwire ??= refused))
  try {
    const changed = await ask(processor, value, abort)
    return { value: tripwire === null ? changed : value, next, failure: null, tripwire }
  } catch (thrown) {
    if (tripwire !== null) return { value, next, failure: null, tripwire }
    context.failed(thrown, processor.id)
    return { value, next, failure: toErrorData(thrown, 'HOOK_FAILED'), tripwire }
  }
}
