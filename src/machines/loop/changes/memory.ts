/**
 * The memory of an agent, as pure functions: what to recall, the opening messages after it, the exchange to save, and the
 * text so far of an answer that was cut.
 */
import { AppendLog } from '../../../actors/values/append-log.ts'
import type { EffectInput, Recalled, SavedMessage } from '../../../actors/effects/effect-kinds.ts'
import { saysAnything, withFiles } from '../../../actors/content/content.ts'
import type { Message } from '../../../actors/message.ts'
import { workingMemoryBlock } from '../../../actors/toolset/working-memory.ts'
import type { AgentInput, AgentOutcome, AgentProfile } from '../../contract/agent.ts'
import type { MemoryProfile } from '../../contract/profile.ts'
import { taskPosition } from '../../contract/conversation.ts'
import { recordsHolder } from './handoff-calls.ts'
import { noAnswer, type LoopChange, type LoopContext } from './context.ts'

export function recallInput({ input }: LoopContext): EffectInput<'memory'> {
  const { lastMessages } = memoryOf(input)
  return {
    operation: 'recall',
    ...threadOf(input),
    lastMessages,
    workingMemory: keepsNote(input),
    ...(keepsHandoff(input) ? { holder: true as const } : {}),
  }
}

export function saveInput(context: LoopContext): EffectInput<'memory'> {
  return { operation: 'save', ...threadOf(context.input), messages: exchange(context) }
}

/** Completes the opening messages, and records the agent that holds the conversation. */
export function recordRecalled(context: LoopContext, recalled: Recalled): LoopChange {
  const { holder } = recalled
  return {
    messages: openingWith(context, recalled),
    ...(holder === undefined ? {} : { input: { ...context.input, holder } }),
  }
}

/** The opening of the conversation, with the recalled memory: the note in the system prompt, the thread after it. */
function openingWith({ input, messages }: LoopContext, recalled: Recalled): AppendLog<Message> {
  const opening = messages.toArray()
  const own = opening[0]?.role === 'system' ? opening[0].content : ''
  const note = keepsNote(input)
    ? workingMemoryBlock(recalled.workingMemory, memoryOf(input).workingMemory?.template)
    : ''
  const system = [own, note].filter((part) => part !== '').join('\n\n')
  return AppendLog.of<Message>([
    ...(system === '' ? [] : [{ role: 'system' as const, content: system }]),
    ...recalled.messages.map(readable),
    ...opening.slice(opening[0]?.role === 'system' ? 1 : 0),
  ])
}

const cutMark = '[This answer was cut here.]'

/** The model reads of an answer that it was cut. */
function readable({ internal, ...message }: Recalled['messages'][number]): Message {
  if (internal === 'partial') {
    const { content } = message
    const whole = typeof content === 'string' ? `${content}\n\n${cutMark}` : content
    return { ...message, content: whole }
  }
  return internal === undefined ? message : { ...message, internal }
}

/** Only an exchange with an answer is saved: an unanswered prompt must not come back with each later one. */
export function hasExchange(context: LoopContext): boolean {
  return context.input.profile.memory !== undefined && answerOf(context) !== undefined
}

/** Prompt and answer; in the thread of a root agent also feedback of hooks, and messages of people, in between. */
function exchange(context: LoopContext): SavedMessage[] {
  const { input, messages } = context
  const conversation = messages.toArray()
  const position = taskPosition(conversation)
  const between = input.depth === 0 ? conversation.slice(position + 1).flatMap(rememberedOf) : []
  const answer = answerOf(context)
  return [
    { role: 'user', content: conversation[position]?.content ?? input.task },
    ...between,
    ...(answer === undefined ? [] : [{ role: 'assistant' as const, ...answer }]),
  ]
}

function rememberedOf(message: Message): SavedMessage[] {
  if (message.role !== 'user') return []
  const { internal, content } = message
  return internal === 'feedback' || internal === 'said' ? [{ role: 'user', content, internal }] : []
}

type Spoken = Pick<LoopContext['said'], 'text' | 'files'>

type Answer = Pick<SavedMessage, 'content' | 'agent' | 'holder' | 'internal'>

/** A text that was cut is the last that the agent has said. */
function answerOf(context: LoopContext): Answer | undefined {
  const text = partialForThread(context)
  if (text === undefined) return wholeAnswerOf(context)
  return { content: text, agent: context.input.profile.id, internal: 'partial' }
}

/** The library's placeholder for a missing answer does not count. */
function wholeAnswerOf({ bail, ending, input, said }: LoopContext): Answer | undefined {
  switch (ending.outcome) {
    case 'completed':
    case 'exhausted':
    case 'stopped':
      return said.text === noAnswer ? undefined : spoken(said, input.profile.id)
    case 'bailed':
      return bail === undefined || bail.error !== undefined
        ? undefined
        : spoken(bail, bail.by, recordsHolder(input) ? input.profile.id : bail.by)
    case 'handedOff': // the successor saves it
    case 'tripped':
    case 'failed':
    case 'cancelled':
      return undefined
  }
}

/** `holder`: the agent that held the conversation, where a subagent has bailed with its answer. */
function spoken({ text, files }: Spoken, agent: string, holder = agent): Answer | undefined {
  if (!saysAnything({ text, ...(files === undefined ? {} : { files }) })) return undefined
  return { content: withFiles(text, files), agent, ...(holder === agent ? {} : { holder }) }
}

function threadOf({ profile, threadId, resourceId }: AgentInput) {
  return {
    agent: profile.id,
    timeout: profile.hookTimeout,
    threadId: threadId as string, // an agent with memory is prepared with one
    ...(resourceId === undefined ? {} : { resourceId }),
  }
}

function memoryOf({ profile }: AgentInput): MemoryProfile {
  return profile.memory as MemoryProfile // `hasMemory` has checked it
}

/** A successor is the agent that goes on already. */
function keepsHandoff({ profile, opening }: AgentInput): boolean {
  return profile.handoffs?.keep === true && opening.line === undefined
}

/** Whether the agent sees, and may replace, the note on the resource. */
function keepsNote(input: AgentInput): boolean {
  return memoryOf(input).workingMemory !== undefined && input.resourceId !== undefined
}

// The text so far of an answer that was cut: whether it may be kept, and where.

/** Outcomes of an agent whose answer may have been cut. */
const cutting: ReadonlySet<AgentOutcome> = new Set<AgentOutcome>(['cancelled', 'failed', 'exhausted'])

/** Output processors have not passed a text that was cut, and no schema has: it is kept nowhere. */
export function keepsPartial({ keepPartial, hooks, responseFormat }: AgentProfile): boolean {
  return keepPartial !== undefined && hooks.processOutput === undefined && responseFormat === undefined
}

/** Asked for once. After a bail the answer of another agent stands. */
export function mayHavePartial({ input: { profile }, ending }: LoopContext): boolean {
  return keepsPartial(profile) && cutting.has(ending.outcome) && ending.partial === undefined
}

export function partialInput({ input: { profile } }: LoopContext): EffectInput<'memory'> {
  return { operation: 'partial', agent: profile.id, timeout: profile.hookTimeout }
}

export function recordPartial({ ending }: LoopContext, partial: string): LoopChange {
  return ending.outcome === 'handedOff' ? {} : { ending: { ...ending, partial } }
}

/** The text that the thread is to keep. */
function partialForThread({ input: { profile }, ending }: LoopContext): string | undefined {
  return profile.keepPartial === 'thread' && ending.partial !== '' ? ending.partial : undefined
}
