/** A reader of the text that goes on behind any event has, with the text before, each message once. */
import fc from 'fast-check'
import type { RunEvent } from 'troupe'
import { expect, test } from 'vitest'
import { readCursor, ReaderPosition } from '../../src/runtime/handle/cursor.ts'
import { EventLog } from '../../src/runtime/handle/event-log.ts'
import { textOf } from '../../src/runtime/handle/text-stream.ts'
import { WatchReader } from '../../src/runtime/watch/run-watches.ts'
import { allOf } from '../support/all-of.ts'

type Act =
  | { readonly act: 'stream'; readonly length: number }
  | { readonly act: 'complete' | 'fail' | 'crash'; readonly text: string }

const text = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 6 })
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ act: fc.constant('stream' as const), length: fc.nat(4) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      act: fc.constantFrom('complete' as const, 'fail' as const, 'crash' as const),
      text,
    }),
  },
)

/** A run of one agent. Its model says a text piece by piece; a call that fails, or whose process dies, is made again. */
class Play {
  /** That of the process that has the run. */
  log = new EventLog()
  readonly whole: string[] = []
  readonly #isFaithful: boolean
  readonly #published: { readonly event: RunEvent; readonly entry: number }[] = []
  #message = 1
  #entry = 0
  #text: string
  #said = 0

  /** `isFaithful`: each attempt at a message says the same. */
  constructor(first: string, isFaithful: boolean) {
    this.#text = first
    this.#isFaithful = isFaithful
  }

  act(given: Act): void {
    switch (given.act) {
      case 'stream':
        return this.#stream(given.length)
      case 'complete':
        this.#complete()
        this.#text = given.text
        return
      case 'fail': {
        this.#conclude('cut', '')
        const error = { name: 'Error', code: 'DOWN', message: 'down' }
        this.#publish({ ...this.#envelope(), type: 'error', payload: { error, willRetry: true } })
        this.#message++
        return this.#again(given.text)
      }
      default: {
        const before = this.log
        this.log = new EventLog()
        for (const { event, entry } of this.#published) this.log.publish(event, entry)
        before.end()
        return this.#again(given.text)
      }
    }
  }

  end(): void {
    this.#complete()
    this.#publish({
      at: 1,
      runId: 'run',
      agent: 'a',
      path: 'a',
      final: true,
      type: 'run-finish',
      payload: { outcome: 'completed', text: '' },
    } as RunEvent)
    this.log.end()
  }

  #stream(length: number): void {
    const piece = this.#text.slice(this.#said, this.#said + length)
    if (piece === '') return
    this.log.stream({ ...this.#envelope(), type: 'text-delta', payload: { text: piece } }, this.#said === 0)
    this.#said += piece.length
  }

  #complete(): void {
    const given = this.#text
    this.whole.push(given)
    this.#conclude('complete', given)
    const envelope = this.#envelope()
    this.#publish({ ...envelope, type: 'text-start', payload: {} })
    this.#publish({ ...envelope, type: 'text-delta', payload: { text: given } })
    this.#publish({ ...envelope, type: 'text-end', payload: { text: given, status: 'complete' } })
    this.#message++
    this.#entry++
    this.#said = 0
  }

  #again(another: string): void {
    this.#entry++
    this.#said = 0
    if (!this.#isFaithful) this.#text = another
  }

  #conclude(status: 'complete' | 'cut', of: string): void {
    const { messageId } = this.#envelope()
    this.log.conclude({ messageId, status, 'text-delta': of, 'reasoning-delta': '' })
  }

  #envelope() {
    return { at: 1, runId: 'run', agent: 'a', path: 'a', messageId: `a:m${this.#message}` }
  }

  #publish(event: RunEvent): void {
    const recorded = { ...event, seq: this.log.nextSeq }
    this.#published.push({ event: recorded, entry: this.#entry })
    this.log.publish(recorded, this.#entry)
  }
}

async function* each(events: readonly RunEvent[]): AsyncGenerator<RunEvent> {
  yield* events
}

const noResult = async (): Promise<undefined> => undefined

/** For each event, the text up to it and the text behind its cursor: read from then on, and after the end of the run. */
async function texts(play: Play, acts: readonly Act[]): Promise<string[]> {
  const read = (position: ReaderPosition) =>
    new WatchReader(position, () => ({ log: play.log, release: () => undefined }))
  const textAfter = async (cursor: string): Promise<string> => {
    const position = readCursor(cursor, 'run', 'test')
    const speech = position.resumeSpeech()
    return (await allOf(textOf(read(position), noResult, speech))).join('')
  }
  const seen: RunEvent[] = []
  const live: Promise<string>[] = []
  const all = (async () => {
    for await (const event of read(new ReaderPosition())) {
      seen.push(event)
      live.push(textAfter(event.cursor ?? ''))
    }
  })()
  for (const one of acts) {
    play.act(one)
    await new Promise((resolve) => setImmediate(resolve))
  }
  play.end()
  await all
  const joined = seen.map(async ({ cursor = '' }, index) => {
    const before = (await allOf(textOf(each(seen.slice(0, index + 1)), noResult))).join('')
    return [before + (await live[index]), before + (await textAfter(cursor))]
  })
  return (await Promise.all(joined)).flat()
}

const acts = fc.array(act, { maxLength: 14 })

test('each message once, where each attempt at it says the same', async () => {
  await fc.assert(
    fc.asyncProperty(text, acts, async (first, given) => {
      const play = new Play(first, true)
      for (const whole of await texts(play, given)) expect(whole).toBe(play.whole.join(''))
    }),
    { numRuns: 150 },
  )
})

test('and to its end, whatever an earlier attempt at it has said', async () => {
  await fc.assert(
    fc.asyncProperty(text, acts, async (first, given) => {
      const play = new Play(first, false)
      for (const whole of await texts(play, given)) expect(whole.endsWith(play.whole.at(-1) ?? '')).toBe(true)
    }),
    { numRuns: 150 },
  )
})
