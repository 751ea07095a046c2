/**
 * What the model is no longer sent of a long conversation: old results of calls, thoughts and files. The journal, the steps
 * and the events have them still.
 */
import { AppendLog } from '../../../actors/values/append-log.ts'
import { labelOf, type Content } from '../../../actors/content/content.ts'
import type { Message } from '../../../actors/message.ts'
import { charactersOf, estimatedTokens } from '../../../actors/messages/size.ts'
import { event, type MachineEvent } from '../../contract/events.ts'
import type { ContextEditingProfile } from '../../contract/profile.ts'
import { sizeOf } from '../../compaction/limits.ts'
import type { LoopChange, LoopContext } from './context.ts'
import { sizedRequest } from './window.ts'

interface Edited {
  readonly change: LoopChange
  readonly events: readonly MachineEvent[]
}

/** The request is longer than it may be, and enough of it can be cleared. */
export function mustEdit(context: LoopContext): boolean {
  const editing = context.input.profile.contextEditing
  if (editing === undefined || tokensIn(context) <= editing.above) return false
  const { messages } = context
  const kept = messages.toArray().slice(boundaryOf(messages, editing.keep))
  const measure = savingBy(editing)
  const saved = messages.sum(measure) - kept.reduce((sum, message) => sum + measure(message), 0)
  return saved > 0 && context.measured.scale * estimatedTokens(saved) >= editing.atLeast
}

/** Clears all that may be cleared, and tells how much. */
export function editContext(context: LoopContext): Edited {
  const editing = context.input.profile.contextEditing
  if (editing === undefined) return { change: {}, events: [] }
  const { messages } = context
  const boundary = boundaryOf(messages, editing.keep)
  let cleared = 0
  const edited = messages.toArray().map((message, place) => {
    const shorter = place < boundary ? clearedOf(message, editing) : message
    if (shorter !== message) cleared++
    return shorter
  })
  const change = { messages: AppendLog.of(edited) }
  const [before, after] = [tokensIn(context), tokensIn({ ...context, ...change })]
  const payload = { cleared, tokens: Math.round(after), freed: Math.round(before - after) }
  return { change, events: [event('context-edited', payload)] }
}

function tokensIn(context: LoopContext): number {
  const { conversation, rest, scale } = sizedRequest(context)
  return scale * (sizeOf(conversation) + rest)
}

/** The place of the oldest reply that stays as it is: all from there on stays. */
function boundaryOf(messages: AppendLog<Message>, keep: number): number {
  let replies = 0
  for (let place = messages.length - 1; place >= 0; place--) {
    if (messages.at(place)?.role === 'assistant') replies++
    if (replies === keep) return place
  }
  return 0
}

/** For each way to edit, how many characters a message loses by it: each message is measured once. */
const savings = new WeakMap<ContextEditingProfile, (message: Message) => number>()

function savingBy(editing: ContextEditingProfile): (message: Message) => number {
  const known = savings.get(editing)
  if (known !== undefined) return known
  const measure = (message: Message): number => {
    const shorter = clearedOf(message, editing)
    return shorter === message ? 0 : charactersOf(message) - charactersOf(shorter)
  }
  savings.set(editing, measure)
  return measure
}

const clearedResult = 'Cleared, for it is old. Call again for what you still need.'

/** The message itself, where nothing of it can be cleared. */
function clearedOf(message: Message, { clear, except }: ContextEditingProfile): Message {
  if (message.role === 'system') return message
  if (message.role === 'tool' && clear.includes('results')) {
    const isKept = except.includes(message.toolName) || !isLonger(message)
    return isKept ? message : { ...message, content: clearedResult }
  }
  const content = clear.includes('files') ? withoutFiles(message.content) : message.content
  if (message.role === 'assistant' && clear.includes('thoughts') && message.reasoning !== undefined) {
    const { reasoning: _reasoning, providerData: _data, ...rest } = message
    return { ...rest, content }
  }
  return content === message.content ? message : { ...message, content }
}

function isLonger(message: Message): boolean {
  return charactersOf(message) > clearedResult.length
}

/** A line stands for each file. */
function withoutFiles(content: Content): Content {
  if (typeof content === 'string' || content.every(({ type }) => type === 'text')) return content
  return content.map((part) =>
    part.type === 'file' ? { type: 'text', text: `${labelOf(part)} was cleared.` } : part,
  )
}
