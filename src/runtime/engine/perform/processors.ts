/** Calls one processor of a chain; the chart decides the consequence of its answer, and whether another is called. */
import type { AppendLog } from '../../../actors/values/append-log.ts'
import type { EffectInput } from '../../../actors/effects/effect-kinds.ts'
import { deepFreeze } from '../../../actors/values/frozen.ts'
import type { Message } from '../../../actors/message.ts'
import type { OutputProcessor, Passage, Tripwire } from '../../../actors/processor.ts'
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
  const { runId, resourceId } = context
  let recalled: readonly Passage[] | undefined
  const {
    task,
    messages,
    next,
    processors: names,
  } = data as {
    task: string
    messages: AppendLog<Message>
    next: number
    processors: readonly string[]
  }
  const { value, ...end } = await askOne(
    dueAt(processors, names, next),
    next,
    undefined as readonly Message[] | undefined,
    async (processor, changed, abort) => {
      // Frozen: a change in place must not look like a returned one.
      const shown = deepFreeze([...(changed ?? messages)])
      const answer = await processor.processInput({
        runId,
        agentId: agent,
        ...(resourceId === undefined ? {} : { resourceId }),
        task,
        messages: shown,
        abort,
        recalled: (passages) => (recalled = [...(recalled ?? []), ...passages]),
      })
      return checkedAnswer('processInput', processor.id, answer) ?? changed
    },
    context,
  )
  return { messages: value ?? null, ...(recalled === undefined ? {} : { recalled }), ...end }
}

export async function processOutput(
  { data, agent }: HookInput,
  processors: NonNullable<SupervisorOptions['outputProcessors']>,
  context: PerformContext,
): Promise<unknown> {
  const { runId } = context
  const {
    text,
    messages,
    next,
    processors: names,
    ...reply
  } = data as {
    text: string
    messages: AppendLog<Message>
    next: number
    processors: readonly string[]
    step: number
    toolCalls: readonly { readonly name: string; readonly args: unknown }[]
  }
  const { value, ...end } = await askOne(
    dueAt(wholeOf(processors), names, next),
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

/** Those that check whole replies. */
export function wholeOf(processors: readonly OutputProcessor[]): readonly OutputProcessor[] {
  return processors.filter((processor) => processor.processOutput !== undefined)
}

/** Those that an agent has by now, and that the run does not have on record. */
export function newOf<Processor extends Named>(
  processors: readonly Processor[],
  names: readonly string[],
): readonly Processor[] {
  return processors.filter(({ id }) => !names.includes(id))
}

/**
 * The processors to call at this position of those on record: the one of its name, and after the last one those that are new.
 * Throws a `ConfigurationError` for one that is gone: its guard must not be left out.
 */
function dueAt<Processor extends Named>(
  processors: readonly Processor[],
  names: readonly string[],
  position: number,
): readonly Processor[] {
  const name = names[position] ?? ''
  const due = processors.find(({ id }) => id === name)
  if (due === undefined) {
    throw new ConfigurationError(`The processor "${name}", with which the run began, is not here any more.`)
  }
  return position === names.length - 1 ? [due, ...newOf(processors, names)] : [due]
}

interface Named {
  readonly id: string
}

interface End<Value> {
  readonly value: Value
  /** The position of the processor to call after it. */
  readonly next: number
  readonly failure: ErrorData | null
  readonly tripwire: Tripwire | null
}

/**
 * Calls one processor, and after the last one those that are new. Each processor on record is an effect of its own: it has its own
 * deadline, and the output of those before it is on record.
 */
async function askOne<Processor extends Named, Value>(
  due: readonly Processor[],
  position: number,
  value: Value,
  ask: (processor: Processor, value: Value, abort: Abort) => Promise<Value>,
  context: Pick<PerformContext, 'failed'>,
): Promise<End<Value>> {
  return { ...(await askEach(due, value, ask, context)), next: position + 1 }
}

/** Calls processors, one after the other, until one refuses or fails. */
export async function askEach<Processor extends Named, Value>(
  processors: readonly Processor[],
  given: Value,
  ask: (processor: Processor, value: Value, abort: Abort) => Promise<Value>,
  context: Pick<PerformContext, 'failed'>,
): Promise<Omit<End<Value>, 'next'>> {
  let value = given
  for (const processor of processors) {
    let tripwire: Tripwire | null = null
    const abort = abortOf(processor.id, (refused) => (tripwire ??= refused))
    try {
      const changed = await ask(processor, value, abort)
      if (tripwire !== null) return { value, failure: null, tripwire }
      value = changed
    } catch (thrown) {
      if (tripwire !== null) return { value, failure: null, tripwire }
      context.failed(thrown, processor.id)
      return { value, failure: toErrorData(thrown, 'HOOK_FAILED'), tripwire }
    }
  }
  return { value, failure: null, tripwire: null }
}
