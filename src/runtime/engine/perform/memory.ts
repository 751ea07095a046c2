/** Performs `memory` effects: reads and writes the threads of the troupe's store, each only for its resource. */
import {
  effectSchemas,
  type EffectInput,
  type EffectOutcome,
  type Recalled,
} from '../../../actors/effects/effect-kinds.ts'
import { windowOf } from '../../../actors/messages/window.ts'
import { TerminalError } from '../../../errors.ts'
import { keptContent, putAll } from '../../files/kept-content.ts'
import type { ThreadMessage } from '../../journal/memory-storage.ts'
import type { PerformContext } from './context.ts'

type Input = EffectInput<'memory'>

export async function performMemory(input: Input, context: PerformContext): Promise<EffectOutcome<'memory'>> {
  if (input.operation === 'partial') return cutAnswer(context)
  const { at, conversationId, descent, memory } = context // later effects may advance logical time while this one waits
  const threadId = descent === undefined ? input.threadId : await descent.branch(memory, input.threadId)
  if (input.operation === 'recall') return recall(input, threadId, context)
  // The ids come from the key of the effect: messages that are saved again after a crash replace themselves.
  const messages = input.messages.map(({ role, content, internal, agent, holder }, index) => ({
    id: `${context.idempotencyKey}/${index}`,
    role,
    content,
    ...(internal === undefined ? {} : { internal }),
    ...(agent === undefined ? {} : { agent }),
    ...(holder === undefined ? {} : { holder }),
    ...(conversationId === undefined ? {} : { conversationId }),
    at,
  }))
  await memory.save(threadId, messages, input.resourceId)
  return null
}

/** A process that did not make the call has no text of it. */
function cutAnswer({ spoken }: PerformContext): EffectOutcome<'memory'> {
  const text = whole(spoken?.take() ?? '')
  return text === '' ? null : { partialText: text }
}

/** A cut may go through a character of two units. */
function whole(text: string): string {
  return text.replace(/[\uD800-\uDBFF]$/u, '').toWellFormed()
}

/** How many of the last messages are searched for an answer: an application may have saved others after it. */
const searched = 20

async function recall(
  input: Extract<Input, { operation: 'recall' }>,
  threadId: string,
  context: PerformContext,
): Promise<EffectOutcome<'memory'>> {
  const { resourceId, lastMessages, workingMemory } = input
  const { memory, runId } = context
  const last = input.holder === true ? Math.max(lastMessages, searched) : lastMessages
  const [messages, note] = await Promise.all([
    memory.messages(threadId, { runId, resourceId, last }),
    workingMemory && resourceId !== undefined ? noteOn(resourceId, context) : undefined,
  ])
  const checked = effectSchemas().recalled.safeParse({
    // The outcome is journaled, so the limit holds for every store.
    messages: windowOf(messages, lastMessages),
    workingMemory: note ?? null,
    ...(input.holder === true ? await holderOf(messages, input.agent, context) : {}),
  })
  if (checked.success) return withKeptFiles(checked.data, context)
  throw new TerminalError(`The thread "${threadId}" holds something else than messages.`, {
    code: 'MEMORY_INVALID',
    cause: checked.error,
  })
}

/** The note on a resource; that of a fork is the one that its run had read or written last, and no other run sees it. */
async function noteOn(resourceId: string, context: PerformContext): Promise<string | null | undefined> {
  const { descent, memory, runId } = context
  if (descent?.isApart !== true) return memory.workingMemory(resourceId)
  const text = descent.note?.text
  if (text !== undefined) return text
  throw new TerminalError(
    `The fork "${runId}" needs the working memory of the resource "${resourceId}" as it stood at its entry, which no journal of its runs has. Fork the run with a threadId: it then reads and writes the note of today.`,
    { code: 'WORKING_MEMORY_NOT_KEPT' },
  )
}

/** A store of the user's own may hold files with their bytes: the journal holds references. */
async function withKeptFiles(recalled: Recalled, { blobs }: PerformContext): Promise<Recalled> {
  const kept = recalled.messages.map((message) => ({ message, ...keptContent(message.content) }))
  await putAll(
    kept.flatMap((one) => one.blobs),
    blobs,
  )
  return { ...recalled, messages: kept.map(({ message, content }) => ({ ...message, content })) }
}

/** The agent that holds the conversation, where a chain of handoffs may come to it from `agent`. */
async function holderOf(
  messages: readonly ThreadMessage[],
  agent: string,
  context: PerformContext,
): Promise<{ readonly holder?: string }> {
  const answer = messages.findLast(({ role }) => role === 'assistant')
  const holder = answer?.holder ?? answer?.agent
  if (holder === undefined || holder === agent) return {}
  const reached = new Set([agent])
  for (const id of reached) for (const successor of await successorsOf(id, context)) reached.add(successor)
  return reached.has(holder) ? { holder } : {}
}

async function successorsOf(id: string, context: PerformContext): Promise<readonly string[]> {
  const { handoffs } = context.definition(id)
  if (handoffs === undefined) return []
  const { successors = {} } = handoffs.ofRun === undefined ? {} : await context.parts(id)
  return Object.values({ ...handoffs.agents(), ...successors }).map((successor) => successor.id)
}
