/** Readers that come, leave and go on behind cursors at any moment see each event on record once, and each text once. */
import fc from 'fast-check'
import type { RunEvent } from 'troupe'
import { expect, test } from 'vitest'
import { readCursor, ReaderPosition } from '../../src/runtime/handle/cursor.ts'
import { EventLog } from '../../src/runtime/handle/event-log.ts'

type Act =
  | { readonly act: 'stream'; readonly agent: number; readonly text: string }
  | { readonly act: 'complete'; readonly agent: number; readonly rest: string }
  | { readonly act: 'fail'; readonly agent: number }
  | { readonly act: 'note' }
  | { readonly act: 'reconnect'; readonly reader: number; readonly read: number }

const agent = fc.nat(2)
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ act: fc.constant('stream' as const), agent, text: fc.string({ minLength: 1 }) }),
  },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('complete' as const), agent, rest: fc.string() }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('fail' as const), agent }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('note' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({ act: fc.constant('reconnect' as const), reader: fc.nat(2), read: fc.nat(4) }),
  },
)

/** Plays a run of agents that speak at the same time. */
class Play {
  readonly log = new EventLog()
  readonly whole = new Map<string, string>()
  #entry = 0
  readonly #messages = [0, 0, 0].map(() => ({ number: 1, streamed: '' }))

  act(given: Act): void {
    switch (given.act) {
      case 'stream': {
        const message = this.#message(given.agent)
        const event = {
          ...this.#envelope(given.agent),
          type: 'text-delta',
          payload: { text: given.text },
        } as const
        this.log.stream(event, message.streamed === '')
        message.streamed += given.text
        return
      }
      case 'complete': {
        const message = this.#message(given.agent)
        const text = `${message.streamed}${given.rest}`
        const envelope = this.#envelope(given.agent)
        this.whole.set(envelope.messageId, text)
        this.log.conclude({
          messageId: envelope.messageId,
          status: 'complete',
          'text-delta': text,
          'reasoning-delta': '',
        })
        this.#publish({ ...envelope, type: 'text-start', payload: {} })
        if (text !== '') this.#publish({ ...envelope, type: 'text-delta', payload: { text } })
        this.#publish({ ...envelope, type: 'text-end', payload: { text, status: 'complete' } })
        return this.#next(message)
      }
      case 'fail': {
        const message = this.#message(given.agent)
        const envelope = this.#envelope(given.agent)
        this.log.conclude({
          messageId: envelope.messageId,
          status: 'cut',
          'text-delta': '',
          'reasoning-delta': '',
        })
        const error = { name: 'Error', code: 'DOWN', message: 'down' }
        this.#publish({ ...envelope, type: 'error', payload: { error, willRetry: true } })
        return this.#next(message)
      }
      default:
        this.#entry++
        return this.#publish({
          at: 1,
          runId: 'run',
          agent: 'a',
          path: 'a',
          type: 'iteration-start',
          payload: { iteration: 1 },
        })
    }
  }

  end(): void {
    this.#entry++
    const envelope = { at: 1, runId: 'run', agent: 'a', path: 'a', final: true } as const
    this.#publish({
      ...envelope,
      type: 'run-finish',
      payload: { outcome: 'completed', text: '' },
    } as RunEvent)
    this.log.end()
  }

  #message(of: number) {
    return this.#messages[of] ?? { number: 1, streamed: '' }
  }

  #next(message: { number: number; streamed: string }): void {
    message.number++
    message.streamed = ''
    this.#entry++
  }

  #envelope(of: number) {
    const path = `lead/delegation:1.${of + 1}/agent${of}`
    const { number } = this.#message(of)
    return { at: 1, runId: 'run', agent: `agent${of}`, path, messageId: `${path}:m${number}` }
  }

  #publish(event: RunEvent): void {
    this.log.publish({ ...event, seq: this.log.nextSeq }, this.#entry)
  }
}

/** A reader that may lose its connection: it goes on with the cursor of its last event. */
class Reader {
  readonly seen: RunEvent[] = []
  readonly #log: () => EventLog
  #reader

  constructor(log: () => EventLog) {
    this.#log = log
    this.#reader = log().read()
  }

  async read(most: number): Promise<void> {
    for (let read = 0; read < most; read++) {
      const next = this.#reader.next()
      const result = await Promise.race([
        next,
        new Promise<undefined>((resolve) => setImmediate(() => resolve(undefined))),
      ])
      if (result === undefined || result.done === true) return
      this.seen.push(result.value)
    }
  }

  async reconnect(): Promise<void> {
    await this.#reader.return()
    const { cursor } = this.seen.at(-1) ?? {}
    const position = cursor === undefined ? new ReaderPosition() : readCursor(cursor, 'run', 'test')
    this.#reader = this.#log().read({ position })
  }
}

/** The log of another process, which sees the events on record alone. */
function elsewhere(log: EventLog): EventLog {
  const other = new EventLog()
  for (const { cursor = '', ...event } of log.withCursors()) {
    const [, entry] = /=(\d+)\.\d+(?::|$)/.exec(cursor) ?? []
    other.publish(event, Number(entry))
  }
  if (log.hasEnded) other.end()
  return other
}

function check({ whole, log }: Play, seen: readonly RunEvent[]): void {
  const onRecord = seen.filter(
    ({ seq, type }) => seq !== undefined && type !== 'text-delta' && type !== 'text-start',
  )
  const all = log.toArray().filter(({ type }) => type !== 'text-delta' && type !== 'text-start')
  expect(onRecord.map(({ seq }) => seq)).toEqual(all.map(({ seq }) => seq))
  for (const [messageId, text] of whole) {
    const events = seen.filter((event) => event.messageId === messageId)
    expect(events.flatMap((event) => (event.type === 'text-delta' ? event.payload.text : [])).join('')).toBe(
      text,
    )
    expect(events.filter(({ type }) => type === 'text-start')).toHaveLength(1)
    expect(events.filter(({ type }) => type === 'text-end')).toHaveLength(1)
  }
  // Each start has one end, also of messages that failed.
  const open = new Set<string | undefined>()
  for (const { type, messageId } of seen) {
    if (type === 'text-start') expect(open.has(messageId)).toBe(false)
    if (type === 'text-start') open.add(messageId)
    if (type === 'text-delta') expect(open.has(messageId)).toBe(true)
    if (type === 'text-end') expect(open.delete(messageId)).toBe(true)
  }
  expect([...open]).toEqual([])
}

test('every event once, however often readers come back, to the same process or to another', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 40 }), fc.boolean(), async (acts, movesAway) => {
      const play = new Play()
      let isAway = false
      const readers = [0, 1, 2].map(() => new Reader(() => (isAway ? elsewhere(play.log) : play.log)))
      for (const given of acts) {
        if (given.act !== 'reconnect') play.act(given)
        else {
          const reader = readers[given.reader]
          await reader?.read(given.read)
          await reader?.reconnect()
        }
      }
      play.end()
      isAway = movesAway
      for (const reader of readers) {
        await reader.read(2)
        await reader.reconnect()
        await reader.read(10_000)
        check(play, reader.seen)
      }
    }),
    { numRuns: 300 },
  )
})
