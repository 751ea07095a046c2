/** Performs `memory` effects: reads and writes the threads of the troupe's store, each only for its resource. */
import { effectSchemas, type EffectInput, type EffectOutcome } from '../../../actors/effect-kinds.ts'
import { TerminalError } from '../../../errors.ts'
import type { PerformContext } from './context.ts'

type Input = EffectInput<'memory'>

export async function performMemory(input: Input, context: PerformContext): Promise<EffectOutcome<'memory'>> {
  const { at, conversationId } = context // later effects may advance logical time while this one waits
  if (input.operation === 'recall') return recall(input, context)
  // The ids come from the key of the effect: messages that are saved again after a crash replace themselves.
  const messages = input.messages.map(({ role, content, internal, agent }, index) => ({
    id: `${context.idempotencyKey}/${index}`,
    role,
    content,
    ...(internal === undefined ? {} : { internal }),
    ...(agent === undefined ? {} : { agent }),
    ...(conversationId === undefined ? {} : { conversationId }),
    at,
  }))
  await context.memory.save(input.threadId, messages, input.resourceId)
  return null
}

async function recall(
  { threadId, resourceId, lastMessages, workingMemory }: Extract<Input, { operation: 'recall' }>,
  { memory, runId }: PerformContext,
): Promise<EffectOutcome<'memory'>> {
  const [messages, note] = await Promise.all([
    memory.recall(threadId, { runId, resourceId, last: lastMessages }),
    workingMemory && resourceId !== undefined ? memory.workingMemory(resourceId) : undefined,
  ])
  const checked = effectSchemas().effectKinds.memory.outcome.safeParse({
    // The outcome is journaled, so the limit holds for every store.
    messages: lastMessages === 0 ? [] : messages.slice(-lastMessages),
    workingMemory: note ?? null,
  })
  if (checked.success) return checked.data
  throw new TerminalError(`The thread "${threadId}" holds something else than messages.`, {
    code: 'MEMORY_INVALID',
    cause: checked.error,
  })
}
