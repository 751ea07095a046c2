/**
 * The place of a reader in the events of a run: of each journal the last event that it was handed, and the messages that
 * it has seen begin. A cursor is this place as a text: any process that reads the same journals goes on from it.
 */
import { z } from 'zod'
import { agentAt } from '../../actors/actor-path.ts'
import { show } from '../../actors/strict/read-options.ts'
import { ConfigurationError } from '../../errors.ts'
import { OpenMessages, pathOf, type EndedAttempt, type OpenMessage } from './open-messages.ts'
import type { EventPlace } from './run-event.ts'
import { StreamedText } from './streamed-text.ts'

const version = '1'

export class ReaderPosition {
  readonly messages: OpenMessages
  /** By journal: the last event. */
  readonly #last: Map<string, Omit<EventPlace, 'part'>>

  constructor(places: readonly EventPlace[] = [], messages = new OpenMessages()) {
    this.#last = new Map(places.map(({ part, entry, nth }) => [part, { entry, nth }]))
    this.messages = messages
  }

  /** Whether the event at a place has not been handed to the reader. */
  isBefore({ part, entry, nth }: EventPlace): boolean {
    const last = this.#last.get(part)
    return last === undefined || entry > last.entry || (entry === last.entry && nth > last.nth)
  }

  moveTo({ part, entry, nth }: EventPlace): void {
    this.#last.set(part, { entry, nth })
  }

  cursor(runId: string): string {
    const cursor = `${version}:${encodeURIComponent(runId)}:${this.#places()}`
    return this.messages.isEmpty ? cursor : `${cursor}:${encodeURIComponent(textOf(this.messages))}`
  }

  #places(): string {
    let places = ''
    for (const [part, { entry, nth }] of this.#last) {
      places += `${places === '' ? '' : ','}${encodeURIComponent(part)}=${entry}.${nth}`
    }
    return places
  }
}

/** Throws a `ConfigurationError` for a text that is no cursor, and for a cursor of another run. */
export function readCursor(given: unknown, runId: string, where: string): ReaderPosition {
  const [, of, places, messages] = form.exec(typeof given === 'string' ? given : '') ?? []
  const position = places === undefined ? undefined : positionOf(runId, places, messages)
  if (of === undefined || position === undefined) {
    throw new ConfigurationError(
      `${where} must be the cursor of an event that this release of troupe has handed out; it is ${show(given)}.`,
    )
  }
  if (of !== encodeURIComponent(runId)) {
    throw new ConfigurationError(
      `${where} is a cursor of the run "${decoded(of) ?? of}", and not of the run "${runId}".`,
    )
  }
  return position
}

/** Each part is read on its own: an expression for all of them would take very long for some texts. */
const form = /^1:([^:]+):([^:]*)(?::([^:]+))?$/

function positionOf(runId: string, places: string, messages: string | undefined): ReaderPosition | undefined {
  const read = places === '' ? [] : places.split(',').map(placeOf)
  const open = messages === undefined ? new OpenMessages() : messagesOf(runId, messages)
  const known = read.filter((place) => place !== undefined)
  return open === undefined || known.length < read.length ? undefined : new ReaderPosition(known, open)
}

function placeOf(text: string): EventPlace | undefined {
  const [, of = '', entry, nth] = /^([^=]*)=(\d+)\.(\d+)$/.exec(text) ?? []
  const part = decoded(of)
  if (part === undefined || entry === undefined || nth === undefined) return undefined
  return { part, entry: Number(entry), nth: Number(nth) }
}

const count = z.int().min(0)
const attempted = { type: z.enum(['text-delta', 'reasoning-delta']), messageId: z.string(), attempt: count }

const messagesSchema = z.strictObject({
  open: z.array(
    z.strictObject({
      ...attempted,
      at: z.number(),
      length: count,
      digest: z.strictObject({ a: z.int(), b: z.int() }),
      isReplied: z.boolean(),
      delegationId: z.string().optional(),
      conversationId: z.string().optional(),
    }),
  ),
  ended: z.array(z.strictObject(attempted)),
})

type MessagesText = z.infer<typeof messagesSchema>

function textOf(messages: OpenMessages): string {
  const text: MessagesText = {
    open: messages.open.map(({ type, envelope, attempt, streamed: { length, digest }, isReplied }) => {
      const { messageId, at, delegationId, conversationId } = envelope
      return { type, messageId, attempt, at, length, digest, isReplied, delegationId, conversationId }
    }),
    ended: [...messages.ended],
  }
  return JSON.stringify(text)
}

function messagesOf(runId: string, text: string): OpenMessages | undefined {
  const read = messagesSchema.safeParse(parsed(decoded(text)))
  if (!read.success) return undefined
  const ended: readonly EndedAttempt[] = read.data.ended
  return new OpenMessages(
    read.data.open.map((open) => openOf(runId, open)),
    ended,
  )
}

function openOf(runId: string, open: MessagesText['open'][number]): OpenMessage {
  const { type, messageId, attempt, at, length, digest, isReplied, delegationId, conversationId } = open
  const path = pathOf(messageId)
  const envelope = {
    at,
    runId,
    agent: agentAt(path),
    path,
    ...(delegationId === undefined ? {} : { delegationId }),
    ...(conversationId === undefined ? {} : { conversationId }),
    messageId,
  }
  return { type, envelope, attempt, streamed: new StreamedText(length, digest), isReplied }
}

/** `undefined`: it is not encoded. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** `undefined`: it is no JSON. */
function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}
