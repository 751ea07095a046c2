/**
 * The events of one run and their readers. Events with a `seq` are kept; deltas that a model streams go straight
 * to the current readers. A reader is a cursor: it may start from the beginning or from now, and a slow
 * one never blocks the run; only deltas are ever coalesced for it.
 */
import type { JsonValue } from '../../actors/values/json.ts'
import type { EventPayloads, EventType, ToolCallPayload } from '../../machines/contract/events.ts'
import type { ToolResults } from '../../machines/contract/records.ts'

interface Envelope {
  /** Counts the events of the run from 1. Streamed deltas have none: they are not in the journal. */
  readonly seq?: number
  /** Logical time: that of the journal entry that led to the event. Milliseconds since 1970. */
  readonly at: number
  readonly runId: string
  /** The agent's id. */
  readonly agent: string
  /** Ids of the actors from the root agent to the one that emits the event, joined with "/". */
  readonly path: string
  /** The delegation that the agent works for. */
  readonly delegationId?: string
  /** The conversation that the run belongs to. */
  readonly conversationId?: string
  /** The same for all events of one message. */
  readonly messageId?: string
  /**
   * Of a message that was begun again after a crash: 2 or more, on its start and its deltas. Earlier events of the same
   * message, with a lower number or none, are void.
   */
  readonly attempt?: number
  /** Set once: on the event that ends the run, whose `messageId` is the final message. */
  readonly final?: true
}

/** One event of a run, discriminated by `type`. `Results` are the types of the results of its tools. */
export type RunEvent<Results extends ToolResults = ToolResults> = {
  [Type in EventType]: Envelope & { readonly type: Type; readonly payload: PayloadOf<Type, Results> }
}[EventType]

type PayloadOf<Type extends EventType, Results extends ToolResults> = Type extends 'tool-result'
  ? TypedToolResult<Results>
  : EventPayloads[Type]

/** The payload of a `tool-result`: of tools that are known by their names, their types. */
export type TypedToolResult<Results extends ToolResults> = string extends keyof Results
  ? EventPayloads['tool-result']
  : | {
        [Name in keyof Results & string]: ResultPayload<Name, Results[Name]>
      }[keyof Results & string]
    | ResultPayload<'update-working-memory', JsonValue>

/** The payload of the `tool-result` of one tool. */
export interface ResultPayload<Name extends string, Value extends JsonValue> extends ToolCallPayload {
  readonly toolName: Name
  readonly result: Value
}

export type StreamedDelta = Extract<RunEvent, { type: 'text-delta' | 'reasoning-delta' }>

/** The text and reasoning of a model's reply, before any processing. */
export type SpokenMessage = { readonly messageId: string } & {
  readonly [Type in StreamedDelta['type']]: string
}

const startOf = { 'text-delta': 'text-start', 'reasoning-delta': 'reasoning-start' } as const

export class EventLog {
  readonly #events: RunEvent[] = []
  readonly #readers = new Set<EventReader>()
  #hasEnded = false
  /** The number of events published since the log was rewound: those that it holds already are dropped. */
  #told = 0

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** A reader has not read to the end. */
  get hasReaders(): boolean {
    return this.#readers.size > 0
  }

  get nextSeq(): number {
    return this.#told + 1
  }

  /** The run is replayed from its journal, and publishes its events again. */
  rewind(): void {
    this.#told = 0
  }

  publish(event: RunEvent): void {
    this.#told++
    if (this.#told <= this.#events.length) return
    this.#events.push(event)
    for (const reader of this.#readers) reader.take(event)
  }

  /** Passes on a delta, which the journal does not keep. `isFirst`: of its message and type. */
  stream(delta: StreamedDelta, isFirst: boolean): void {
    for (const reader of this.#readers) reader.takeDelta(delta, isFirst)
  }

  /** The model call of a message has an outcome: readers may have seen deltas of another attempt. */
  conclude(message: SpokenMessage): void {
    for (const reader of this.#readers) reader.conclude(message)
  }

  end(): void {
    this.#hasEnded = true
    for (const reader of this.#readers) reader.finish()
    this.#readers.clear()
  }

  read(from: 'start' | 'now' = 'start'): AsyncIterableIterator<RunEvent> {
    const reader = new EventReader(from === 'start' ? this.#events.slice() : [], () =>
      this.#readers.delete(reader),
    )
    if (this.#hasEnded) reader.finish()
    else this.#readers.add(reader)
    return reader
  }

  toArray(): RunEvent[] {
    return this.#events.slice()
  }
}

/** The deltas of one message and type that a reader has seen. */
interface Followed {
  readonly attempt: number
  readonly text: string
  /** The message does not begin with this text. */
  readonly isVoid?: true
}

class EventReader implements AsyncIterableIterator<RunEvent> {
  #queue: RunEvent[]
  #next = 0
  #waiting: (() => void)[] = []
  #isFinished = false
  readonly #onClose: () => void
  /** By message and type, for the messages whose first delta this reader saw. */
  readonly #followed = new Map<string, Followed>()

  constructor(queue: RunEvent[], onClose: () => void) {
    this.#queue = queue
    this.#onClose = onClose
  }

  take(event: RunEvent): void {
    const remaining = this.#withoutStreamed(event)
    if (remaining !== undefined) this.#push(remaining)
  }

  takeDelta(delta: StreamedDelta, isFirst: boolean): void {
    const key = `${delta.type}:${delta.messageId}`
    if (isFirst) {
      this.#followed.set(key, { attempt: delta.attempt ?? 1, text: '' })
      const { seq: _seq, ...envelope } = delta
      this.#push({ ...envelope, type: startOf[delta.type], payload: {} })
    }
    const soFar = this.#followed.get(key)
    if (soFar === undefined) return // the reader joined in mid-message, and will get the message as one delta
    this.#followed.set(key, { ...soFar, text: soFar.text + delta.payload.text })
    const last = this.#queue.at(-1)
    const isWaiting = this.#next < this.#queue.length
    if (
      isWaiting &&
      last?.seq === undefined &&
      last?.type === delta.type &&
      last.messageId === delta.messageId
    ) {
      this.#queue[this.#queue.length - 1] = {
        ...delta,
        payload: { text: last.payload.text + delta.payload.text },
      }
    } else {
      this.#push(delta)
    }
  }

  conclude(message: SpokenMessage): void {
    for (const type of ['text-delta', 'reasoning-delta'] as const) {
      const key = `${type}:${message.messageId}`
      const seen = this.#followed.get(key)
      if (seen === undefined || message[type].startsWith(seen.text)) continue
      this.#followed.set(key, { ...seen, isVoid: true })
    }
  }

  /** The part of a complete message that this reader has not seen streamed. */
  #withoutStreamed(event: RunEvent): RunEvent | undefined {
    switch (event.type) {
      case 'text-start':
      case 'reasoning-start': {
        const key = `${event.type === 'text-start' ? 'text-delta' : 'reasoning-delta'}:${event.messageId}`
        const seen = this.#followed.get(key)
        if (seen === undefined) return event
        return seen.isVoid ? { ...event, attempt: seen.attempt + 1 } : undefined
      }
      case 'text-delta':
      case 'reasoning-delta': {
        const key = `${event.type}:${event.messageId}`
        const seen = this.#followed.get(key)
        if (seen === undefined) return event
        this.#followed.delete(key)
        if (seen.isVoid) return { ...event, attempt: seen.attempt + 1 }
        const { attempt, text: before } = seen
        const { text } = event.payload
        if (text.length <= before.length || !text.startsWith(before)) return undefined
        const rest = { ...event, payload: { text: text.slice(before.length) } }
        return attempt === 1 ? rest : { ...rest, attempt }
      }
      default:
        return event
    }
  }

  finish(): void {
    this.#isFinished = true
    this.#wake()
  }

  #push(event: RunEvent): void {
    this.#queue.push(event)
    this.#wake()
  }

  /** Each call of `next` waits on its own: a caller may call it again before the first call resolves. */
  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const wake of waiting) wake()
  }

  async next(): Promise<IteratorResult<RunEvent>> {
    while (this.#next >= this.#queue.length) {
      if (this.#isFinished) return { done: true, value: undefined }
      this.#queue = []
      this.#next = 0
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
    const value = this.#queue[this.#next++] as RunEvent
    return { done: false, value }
  }

  async return(): Promise<IteratorResult<RunEvent>> {
    this.#onClose()
    this.finish()
    this.#queue = []
    this.#next = 0
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<RunEvent> {
    return this
  }
}
