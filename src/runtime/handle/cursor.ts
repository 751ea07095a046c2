/**
 * The place of a reader in the events of a run: of each journal the last event that it was handed, the messages that it has
 * seen begin, and the text that it has of the root agent's present message. A cursor is this place as a text: any process that
 * reads the same journals goes on from it.
 */
import { z } from 'zod'
import { agentAt } from '../../actors/actor-path.ts'
import { show } from '../../actors/strict/read-options.ts'
import { once } from '../../actors/values/once.ts'
import { ConfigurationError } from '../../errors.ts'
import { OpenMessages, pathOf, type OpenMessage } from './open-messages.ts'
import type { EventPlace, RunEvent } from './run-event.ts'
import { Speech, type Said } from './speech.ts'
import { StreamedText } from './streamed-text.ts'
import { SparseMap } from '../../actors/values/sparse.ts'
import type { JournalPart } from './journal-part.ts'

const version = '1'

export class ReaderPosition {
  readonly messages: OpenMessages
  readonly #places: Places
  /** Of the root agent. */
  readonly #speech: Speech

  constructor(places: readonly Place[] = [], messages = new OpenMessages(), speech = new Speech()) {
    this.#places = new Places(places)
    this.messages = messages
    this.#speech = speech
  }

  /** Whether the event at a place has not been handed to the reader. */
  isBefore(place: EventPlace): boolean {
    return this.#places.isBefore(place)
  }

  moveTo(place: EventPlace): void {
    this.#places.moveTo(place)
  }

  /** The reader is handed an event. `whole`: the text of its message up to there, which readers share. */
  hear(event: RunEvent, whole?: StreamedText): void {
    if (event.delegationId === undefined) this.#speech.take(event, whole)
  }

  /**
   * The text before this place, for a reader of the text alone. A message that so far only repeats that text was held back:
   * such a reader gets it again from its beginning.
   */
  resumeSpeech(): Speech {
    const { said, repetition } = this.#speech
    const isReadAgain =
      repetition !== undefined && this.messages.forget({ type: 'text-delta', ...repetition })
    return new Speech(said, isReadAgain ? undefined : repetition)
  }

  cursor(runId: string): string {
    const cursor = `${version}:${encodeURIComponent(runId)}:${textOfPlaces(this.#places)}`
    const { said } = this.#speech
    if (this.messages.isEmpty && said === undefined) return cursor
    return `${cursor}:${encodeURIComponent(textOf(this.messages, this.#speech))}`
  }
}

/** A place in the journal at `path`; `nth` is -1 while no event of it was told. */
interface Place {
  readonly path: string
  readonly entry: number
  readonly nth: number
}

type Last = Omit<Place, 'path'>

const none: Last = { entry: 0, nth: -1 }

/**
 * How far a reader has got in each journal of a run. Only journals in progress have a place: the place of one that has ended
 * is implied by that of its parent, which is behind the entry that took its report. So there are as many places as workflows
 * under way, however many have ended.
 */
class Places {
  /** By path. Each journal that was begun before the place of its parent is here, unless it has ended before that place. */
  readonly #last = new SparseMap<string, Last>()

  constructor(places: readonly Place[] = []) {
    for (const { path, entry, nth } of places) this.#last.set(path, { entry, nth })
  }

  /** Whether the event at a place was not told. */
  isBefore({ part, entry, nth }: EventPlace): boolean {
    const last = this.#last.get(part.path)
    if (last === undefined) return !this.#isOver(part)
    return entry > last.entry || (entry === last.entry && nth > last.nth)
  }

  /** Of a journal without a place: whether it was begun before, and so has ended, or is still to begin. */
  #isOver({ origin }: JournalPart): boolean {
    if (origin === undefined) return false
    const { parent, entry } = origin
    const last = this.#last.get(parent.path)
    return last === undefined ? this.#isOver(parent) : last.entry > entry
  }

  /** The event at a place is told. */
  moveTo({ part, entry, nth }: EventPlace): void {
    const before = this.#last.get(part.path) ?? none
    this.#last.set(part.path, { entry, nth })
    for (let passed = before.entry; passed < entry; passed++) {
      for (const begun of part.begunBy(passed)) this.#begin(begun, entry)
      for (const ended of part.endedBy(passed + 1)) this.#end(ended)
    }
  }

  #begin(part: JournalPart, entry: number): void {
    if (!part.hasEndedBy(entry) && !this.#last.has(part.path)) this.#last.set(part.path, none)
  }

  #end(part: JournalPart): void {
    this.#last.delete(part.path)
    for (const { path } of part.below()) this.#last.delete(path)
  }

  *[Symbol.iterator](): Generator<Place, void> {
    for (const [path, last] of this.#last) yield { path, ...last }
  }
}

function textOfPlaces(places: Iterable<Place>): string {
  return Array.from(places, ({ path, entry, nth }) =>
    nth === -1 ? encodeURIComponent(path) : `${encodeURIComponent(path)}=${entry}.${nth}`,
  ).join(',')
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
  const known = read.filter((place) => place !== undefined)
  if (known.length < read.length) return undefined
  return messages === undefined ? new ReaderPosition(known) : withMessages(runId, known, messages)
}

/** A path alone: no event of its journal was told. */
function placeOf(text: string): Place | undefined {
  const [, of = '', entry, nth] = /^([^=]*)(?:=(\d+)\.(\d+))?$/.exec(text) ?? []
  const path = decoded(of)
  if (path === undefined || (entry === undefined && path === '')) return undefined
  return { path, entry: Number(entry ?? 0), nth: Number(nth ?? -1) }
}

const messagesSchema = once(() => {
  const count = z.int().min(0)
  const attempted = { messageId: z.string(), attempt: count }
  const spoken = { type: z.enum(['text-delta', 'reasoning-delta']), ...attempted }
  const streamed = { length: count, digest: z.strictObject({ a: z.int(), b: z.int() }) }
  return z.strictObject({
    open: z.array(
      z.strictObject({
        ...spoken,
        at: z.number(),
        ...streamed,
        isReplied: z.boolean(),
        delegationId: z.string().optional(),
        conversationId: z.string().optional(),
      }),
    ),
    ended: z.array(z.strictObject(spoken)),
    /** The message whose text was given, and the one that repeats it. */
    said: z.array(z.strictObject({ ...attempted, ...streamed, hasFailed: z.boolean() })).max(2),
  })
})

type MessagesText = z.infer<ReturnType<typeof messagesSchema>>

function textOf(messages: OpenMessages, { said, repetition }: Speech): string {
  const text: MessagesText = {
    open: messages.open.map(({ type, envelope, attempt, streamed: { length, digest }, isReplied }) => {
      const { messageId, at, delegationId, conversationId } = envelope
      return { type, messageId, attempt, at, length, digest, isReplied, delegationId, conversationId }
    }),
    ended: [...messages.ended],
    said: [said, repetition]
      .filter((attempt) => attempt !== undefined)
      .map(({ streamed: { length, digest }, ...attempt }) => ({ ...attempt, length, digest })),
  }
  return JSON.stringify(text)
}

function withMessages(runId: string, places: readonly Place[], text: string): ReaderPosition | undefined {
  const read = messagesSchema().safeParse(parsed(decoded(text)))
  if (!read.success) return undefined
  const { open, ended, said } = read.data
  const messages = new OpenMessages(
    open.map((message) => openOf(runId, message)),
    ended,
  )
  const [given, repetition] = said.map(saidOf)
  return new ReaderPosition(places, messages, new Speech(given, repetition))
}

function saidOf({ length, digest, ...attempt }: MessagesText['said'][number]): Said {
  return { ...attempt, streamed: new StreamedText(length, digest) }
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
