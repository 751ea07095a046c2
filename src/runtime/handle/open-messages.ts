/**
 * The messages that one reader has seen begin as they were streamed, past the journal. Each of them has one end: its own,
 * from the journal, where the agent takes the reply; otherwise an end that is made here, with the text so far.
 */
import { agentPath } from '../../actors/actor-path.ts'
import type { MessageStatus } from '../../machines/contract/events.ts'
import type { ModelCallEnd, RunEvent, SpokenDelta, SpokenEnd } from './run-event.ts'

interface OpenMessage {
  /** Its last delta. */
  readonly delta: SpokenDelta
  readonly text: string
  /** The reply has come to its end; the agent has not taken it yet. */
  readonly isReplied: boolean
}

const startOf = { 'text-delta': 'text-start', 'reasoning-delta': 'reasoning-start' } as const
const endOf = { 'text-delta': 'text-end', 'reasoning-delta': 'reasoning-end' } as const
const deltaOf = { 'text-start': 'text-delta', 'reasoning-start': 'reasoning-delta' } as const
const types = ['reasoning-delta', 'text-delta'] as const

export class OpenMessages {
  /** By message and type. */
  readonly #open = new Map<string, OpenMessage>()
  /** Messages that another attempt has ended: their complete form is a new attempt, with this number. */
  readonly #again = new Map<string, number>()

  /** The start of a message, by its first delta, after the end of an earlier attempt at it. */
  begin(delta: SpokenDelta): RunEvent[] {
    const key = keyOf(delta)
    const ends = this.#end(key)
    this.#open.set(key, { delta, text: '', isReplied: false })
    const { seq: _seq, ...envelope } = delta
    return [...ends, { ...envelope, type: startOf[delta.type], payload: {} }]
  }

  /** Whether the message of a delta is open; then the delta is part of it. */
  add(delta: SpokenDelta): boolean {
    const key = keyOf(delta)
    const open = this.#open.get(key)
    if (open === undefined) return false
    this.#open.set(key, { ...open, delta, text: open.text + delta.payload.text })
    return true
  }

  /** The ends of what was streamed of a message whose model call has ended. */
  conclude(end: ModelCallEnd): SpokenEnd[] {
    return types.flatMap((type) => {
      const key = keyOf({ type, messageId: end.messageId })
      const open = this.#open.get(key)
      if (open === undefined) return []
      if (end.status !== 'complete') return this.#end(key, end.status)
      if (end[type].startsWith(open.text)) {
        this.#open.set(key, { ...open, isReplied: true })
        return []
      }
      this.#again.set(key, (open.delta.attempt ?? 1) + 1)
      return this.#end(key)
    })
  }

  /** The ends of the messages that are over with an event of the journal. */
  endedBy(event: RunEvent): SpokenEnd[] {
    return [...this.#open].flatMap(([key, { delta }]) => (isOver(delta, event) ? this.#end(key) : []))
  }

  endAll(): SpokenEnd[] {
    return [...this.#open.keys()].flatMap((key) => this.#end(key))
  }

  /** The part of an event of the journal that the reader has not seen streamed. */
  remaining(event: RunEvent): RunEvent | undefined {
    switch (event.type) {
      case 'text-start':
      case 'reasoning-start': {
        const key = keyOf({ type: deltaOf[event.type], messageId: event.messageId })
        return this.#open.has(key) ? undefined : this.#numbered(key, event)
      }
      case 'text-delta':
      case 'reasoning-delta': {
        const key = keyOf(event)
        const open = this.#open.get(key)
        if (open === undefined) {
          const numbered = this.#numbered(key, event)
          this.#again.delete(key)
          return numbered
        }
        this.#open.delete(key) // its end is the next event
        return rest(event, open)
      }
      default:
        return event
    }
  }

  #numbered(key: string, event: RunEvent): RunEvent {
    const attempt = this.#again.get(key)
    return attempt === undefined ? event : { ...event, attempt }
  }

  /** Default: a reply that has come to its end, and that the agent has not taken, is rejected; another is cut. */
  #end(key: string, given?: MessageStatus): SpokenEnd[] {
    const open = this.#open.get(key)
    if (open === undefined) return []
    this.#open.delete(key)
    const { delta, text, isReplied } = open
    const status = given ?? (isReplied ? 'rejected' : 'cut')
    return [{ ...delta, type: endOf[delta.type], payload: { text, status } }]
  }
}

function keyOf({ type, messageId }: Pick<SpokenDelta, 'type' | 'messageId'>): string {
  return `${type}:${messageId}`
}

/** The rest of a complete message after its streamed beginning. */
function rest(event: SpokenDelta, { delta: { attempt }, text: before }: OpenMessage): RunEvent | undefined {
  const { text } = event.payload
  if (text.length <= before.length || !text.startsWith(before)) return undefined
  const rest = { ...event, payload: { text: text.slice(before.length) } }
  return attempt === undefined ? rest : { ...rest, attempt }
}

/**
 * Whether the message of a delta is over with an event: with the end of its step, the failure of its call, a later
 * message of its agent, or the end of a delegation or run that it belongs to. Its own start and text complete it.
 */
function isOver({ path, messageId = '' }: SpokenDelta, event: RunEvent): boolean {
  switch (event.type) {
    case 'run-finish':
      return true
    case 'delegation-end':
      return path.startsWith(`${event.path}/`)
    case 'error':
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
