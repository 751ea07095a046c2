/**
 * The messages that a reader has seen begin as they were streamed, past the journal. Each of them has one end: its own,
 * from the journal, where the agent takes the reply; otherwise an end that is made here, with the text so far. The
 * generators change the state before they yield: after each event it is the state of a reader that has got that far.
 */
import { SparseMap } from '../../actors/values/sparse.ts'
import { agentPath } from '../../actors/actor-path.ts'
import type { MessageStatus } from '../../machines/contract/events.ts'
import type { ModelCallEnd, RunEvent, SpokenDelta, SpokenEnd } from './run-event.ts'
import { StreamedText } from './streamed-text.ts'

export type SpokenType = SpokenDelta['type']

/** The envelope of the events of a message. */
export type MessageEnvelope = Pick<
  RunEvent,
  'at' | 'runId' | 'agent' | 'path' | 'delegationId' | 'conversationId'
> & { readonly messageId: string }

export interface OpenMessage {
  readonly type: SpokenType
  /** That of its last delta. */
  readonly envelope: MessageEnvelope
  /** From 1. */
  readonly attempt: number
  readonly streamed: StreamedText
  /** The reply has come to its end; the agent has not taken it yet. */
  readonly isReplied: boolean
}

/** A message of which an attempt has ended without being complete. */
export interface EndedAttempt {
  readonly type: SpokenType
  readonly messageId: string
  readonly attempt: number
}

const startOf = { 'text-delta': 'text-start', 'reasoning-delta': 'reasoning-start' } as const
const endOf = { 'text-delta': 'text-end', 'reasoning-delta': 'reasoning-end' } as const
const deltaOf = { 'text-start': 'text-delta', 'reasoning-start': 'reasoning-delta' } as const
const types = ['reasoning-delta', 'text-delta'] as const

export class OpenMessages {
  /** By message and type. */
  readonly #open = new SparseMap<string, OpenMessage>()
  /** A further attempt at one of these messages has the next number. */
  readonly #ended = new SparseMap<string, EndedAttempt>()

  constructor(open: readonly OpenMessage[] = [], ended: readonly EndedAttempt[] = []) {
    for (const message of open) this.#open.set(keyOf(message.type, message.envelope.messageId), message)
    for (const attempt of ended) this.#ended.set(keyOf(attempt.type, attempt.messageId), attempt)
  }

  /** Whether there is nothing to remember. */
  get isEmpty(): boolean {
    return this.#open.size === 0 && this.#ended.size === 0
  }

  get open(): readonly OpenMessage[] {
    return [...this.#open.values()]
  }

  get ended(): readonly EndedAttempt[] {
    return [...this.#ended.values()]
  }

  /** Forgets an attempt: the reader gets it again from its beginning. Returns whether it was open. */
  forget({ type, messageId, attempt }: EndedAttempt): boolean {
    const key = keyOf(type, messageId)
    return this.#open.get(key)?.attempt === attempt && this.#open.delete(key)
  }

  /** The start of a message, by its first delta, after the end of an earlier attempt at it. */
  *begin(delta: SpokenDelta): Generator<RunEvent, void> {
    const { type, attempt = 1 } = delta
    const envelope = envelopeOf(delta)
    const key = keyOf(type, envelope.messageId)
    yield* this.#end(key)
    const earlier = this.#ended.get(key)?.attempt ?? 0
    yield this.#start({
      type,
      envelope,
      attempt: Math.max(attempt, earlier + 1),
      streamed: StreamedText.none,
      isReplied: false,
    })
  }

  /** The text so far of the message of a delta. */
  textOf({ type, messageId = '' }: SpokenDelta): StreamedText | undefined {
    return this.#open.get(keyOf(type, messageId))?.streamed
  }

  /** A delta as it is handed on; `undefined`: its message is not open. `whole`: of the message up to here, as others hold it. */
  add(delta: SpokenDelta, whole?: StreamedText): SpokenDelta | undefined {
    const key = keyOf(delta.type, delta.messageId)
    const open = this.#open.get(key)
    if (open === undefined) return undefined
    const streamed = open.streamed.plus(delta.payload.text, whole)
    this.#open.set(key, { ...open, envelope: envelopeOf(delta), streamed })
    return numbered(delta, open.attempt)
  }

  /** What is left of a message that others have seen begin, up to the text so far. */
  *catchUp(message: OpenMessage): Generator<RunEvent, void> {
    const { type, envelope, attempt, streamed } = message
    const key = keyOf(type, envelope.messageId)
    const whole = streamed.text ?? ''
    const seen = this.#open.get(key)
    const rest = seen?.streamed.restOf(whole)
    if (rest === undefined) yield* this.begin(deltaOfMessage(envelope, type, '', attempt))
    const own = this.#open.get(key)?.attempt ?? attempt
    this.#open.set(key, { ...message, attempt: own })
    const text = rest ?? whole
    if (text !== '') yield deltaOfMessage(envelope, type, text, own)
  }

  /** The ends of what was streamed of a message whose model call has ended. */
  *conclude(end: ModelCallEnd): Generator<SpokenEnd, void> {
    for (const type of types) {
      const key = keyOf(type, end.messageId)
      const open = this.#open.get(key)
      if (open === undefined) continue
      const isComplete = end.status === 'complete'
      if (isComplete && open.streamed.restOf(end[type]) !== undefined) {
        this.#open.set(key, { ...open, isReplied: true })
      } else yield* this.#end(key, isComplete ? undefined : end.status)
    }
  }

  /** The ends of the messages that are over with an event of the journal. */
  *endedBy(event: RunEvent): Generator<SpokenEnd, void> {
    for (const [key, { envelope }] of this.#open) if (isOver(envelope, event)) yield* this.#end(key)
    for (const [key, { messageId }] of this.#ended) {
      if (isOver({ messageId, path: pathOf(messageId) }, event)) this.#ended.delete(key)
    }
  }

  *endAll(): Generator<SpokenEnd, void> {
    for (const key of this.#open.keys()) yield* this.#end(key)
  }

  /**
   * The end of an attempt, and the start of the next one, where an event of the journal has another text than the reader
   * has seen streamed.
   */
  *begunAnew(event: RunEvent): Generator<RunEvent, void> {
    if (event.type !== 'text-delta' && event.type !== 'reasoning-delta') return
    const open = this.#open.get(keyOf(event.type, event.messageId))
    if (open !== undefined && open.streamed.restOf(event.payload.text) === undefined) yield* this.begin(event)
  }

  /** The part of an event of the journal that the reader has not seen streamed: one event, or none. */
  *remaining(event: RunEvent): Generator<RunEvent, void> {
    switch (event.type) {
      case 'text-start':
      case 'reasoning-start': {
        const key = keyOf(deltaOf[event.type], event.messageId)
        if (!this.#open.has(key)) yield this.#again(key, event)
        return
      }
      case 'text-delta':
      case 'reasoning-delta':
        return yield* this.#completed(event)
      default:
        yield event
    }
  }

  *#completed(event: SpokenDelta): Generator<RunEvent, void> {
    const key = keyOf(event.type, event.messageId)
    const open = this.#open.get(key)
    const { text } = event.payload
    const rest = open?.streamed.restOf(text) ?? text
    if (open === undefined) {
      const again = this.#again(key, event)
      this.#ended.delete(key)
      yield again
    } else {
      this.#open.delete(key) // its end is the next event
      this.#ended.delete(key)
      if (rest !== '') yield numbered({ ...event, payload: { text: rest } }, open.attempt)
    }
  }

  #again<Event extends RunEvent>(key: string, event: Event): Event {
    const earlier = this.#ended.get(key)?.attempt
    return earlier === undefined ? event : numbered(event, earlier + 1)
  }

  #start(message: OpenMessage): RunEvent {
    const { type, envelope, attempt } = message
    this.#open.set(keyOf(type, envelope.messageId), message)
    return numbered({ ...envelope, type: startOf[type], payload: {} }, attempt)
  }

  /** Default: a reply that has come to its end, and that the agent has not taken, is rejected; another is cut. */
  *#end(key: string, given?: MessageStatus): Generator<SpokenEnd, void> {
    const open = this.#open.get(key)
    if (open === undefined) return
    const { type, envelope, attempt, streamed, isReplied } = open
    this.#open.delete(key)
    this.#ended.set(key, { type, messageId: envelope.messageId, attempt })
    const status = given ?? (isReplied ? 'rejected' : 'cut')
    yield numbered(
      { ...envelope, type: endOf[type], payload: { text: streamed.text ?? '', status } },
      attempt,
    )
  }
}

function keyOf(type: SpokenType, messageId = ''): string {
  return `${type}:${messageId}`
}

/** The path of the agent whose message it is. */
export function pathOf(messageId: string): string {
  return messageId.slice(0, Math.max(0, messageId.lastIndexOf(':')))
}

function envelopeOf({ messageId = '', ...delta }: SpokenDelta): MessageEnvelope {
  const { at, runId, agent, path, delegationId, conversationId } = delta
  return {
    at,
    runId,
    agent,
    path,
    ...(delegationId === undefined ? {} : { delegationId }),
    ...(conversationId === undefined ? {} : { conversationId }),
    messageId,
  }
}

function deltaOfMessage(
  envelope: MessageEnvelope,
  type: SpokenType,
  text: string,
  attempt: number,
): SpokenDelta {
  return numbered({ ...envelope, type, payload: { text } }, attempt)
}

/** An event of this attempt; the first has no number. */
function numbered<Event extends RunEvent>(event: Event, attempt: number): Event {
  return attempt === 1 ? event : { ...event, attempt }
}

/**
 * Whether a message is over with an event: with the end of its step, the failure of its call, a later message of its
 * agent, or the end of a delegation or run that it belongs to. Its own start and text complete it.
 */
function isOver({ path, messageId }: { readonly path: string; readonly messageId: string }, event: RunEvent) {
  switch (event.type) {
    case 'run-finish':
      return true
    case 'delegation-end':
      return path.startsWith(`${event.path}/`)
    case 'error':
    case 'model-fallback':
    case 'step-finish':
      return event.messageId === messageId || isLater(event, path, messageId)
    default:
      return isLater(event, path, messageId)
  }
}

/** Messages of an agent are numbered. Deltas may be ahead of the journal: an earlier message ends nothing. */
function isLater(event: RunEvent, path: string, messageId: string): boolean {
  if (event.messageId === undefined || agentPath(event.path) !== path) return false
  return numberOf(event.messageId) > numberOf(messageId)
}

function numberOf(messageId: string): number {
  return Number(messageId.slice(messageId.lastIndexOf(':m') + 2))
}
