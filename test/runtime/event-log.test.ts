/** What a reader of events is given of messages that are streamed past the journal. */
import type { RunEvent } from 'troupe'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readCursor, ReaderPosition } from '../../src/runtime/handle/cursor.ts'
import { EventLog } from '../../src/runtime/handle/event-log.ts'
import type { StreamedEvent } from '../../src/runtime/handle/run-event.ts'

const envelope = { at: 1, runId: 'run', agent: 'poet', path: 'poet', messageId: 'm1' }
const delta = (text: string): StreamedEvent => ({ ...envelope, type: 'text-delta', payload: { text } })

/** A complete message, as the journal brings it. */
function tell(log: EventLog, text: string): void {
  log.publish({ ...envelope, seq: 1, type: 'text-start', payload: {} }, 0)
  log.publish({ ...envelope, seq: 2, type: 'text-delta', payload: { text } }, 0)
  log.publish({ ...envelope, seq: 3, type: 'text-end', payload: { text, status: 'complete' } }, 0)
}

async function read(act: (log: EventLog) => void): Promise<readonly string[]> {
  const log = new EventLog()
  const reader = log.read()
  act(log)
  log.end()
  const events: RunEvent[] = []
  for await (const event of reader) events.push(event)
  return events.map(({ type, payload }) => ('text' in payload ? `${type} ${payload.text}` : type))
}

test('a message is told once: as it was streamed, and what was lost of its end', async () => {
  const told = await read((log) => {
    log.stream(delta('Low '), true)
    log.stream(delta('tide'), false)
    tell(log, 'Low tide.')
  })
  expect(told).toEqual(['text-start', 'text-delta Low tide', 'text-delta .', 'text-end Low tide.'])
})

test('a reader that leaves between the events of a new attempt, and comes back, gets the rest of them', async () => {
  const log = new EventLog()
  const seen: RunEvent[] = []
  const readOn = async (most: number): Promise<void> => {
    const cursor = seen.at(-1)?.cursor
    const position = cursor === undefined ? new ReaderPosition() : readCursor(cursor, 'run', 'after')
    for await (const event of log.read({ position })) {
      seen.push(event)
      if (--most === 0) break
    }
  }
  const first = readOn(2)
  log.stream(delta('High tide'), true)
  await first
  tell(log, 'Low tide.')
  log.end()
  for (let visit = 0; visit < 4; visit++) await readOn(1)
  expect(seen.map(({ type, attempt = 1, payload }) => `${type} ${attempt} ${textIn(payload)}`)).toEqual([
    'text-start 1 ',
    'text-delta 1 High tide',
    'text-end 1 ', // a cursor has no text
    'text-start 2 ',
    'text-delta 2 Low tide.',
    'text-end 1 Low tide.',
  ])
})

function textIn(payload: RunEvent['payload']): string {
  return 'text' in payload && typeof payload.text === 'string' ? payload.text : ''
}

test('readers that do not read hold no text of their own, and get it in events of a bounded size', async () => {
  const log = new EventLog()
  const readers = Array.from({ length: 20 }, () => ({ position: new ReaderPosition() }))
  const opened = readers.map(({ position }) => log.read({ position }))
  const piece = 'x'.repeat(1_000)
  for (let index = 0; index < 500; index++) log.stream(delta(piece), index === 0)
  const texts = await Promise.all(
    opened.map(async (reader) => {
      const told: string[] = []
      for (let length = 0; length < 500_000; length = told.join('').length) {
        const { value } = await reader.next()
        if (value?.type === 'text-delta') told.push(value.payload.text)
      }
      return told
    }),
  )
  expect(Math.max(...texts.flat().map((text) => text.length))).toBeLessThan(34_000)
  expect(texts.every((told) => told.join('') === piece.repeat(500))).toBe(true)
  const held = readers.map(({ position }) => position.messages.open[0]?.streamed)
  expect(new Set(held).size).toBe(1)
})

test('joined or not, at any pace: the text of a message is the same', async () => {
  const paces = fc.array(fc.tuple(fc.string({ maxLength: 20_000, size: 'max' }), fc.nat(3)), {
    maxLength: 20,
  })
  await fc.assert(
    fc.asyncProperty(paces, async (steps) => {
      const log = new EventLog()
      const reader = log.read()
      let [said, heard] = ['', '']
      for (const [index, [text, reads]] of steps.entries()) {
        log.stream(delta(text), index === 0)
        said += text
        for (let read = 0; read < reads && heard.length < said.length; read++) {
          const { value } = await reader.next()
          if (value?.type === 'text-delta') heard += value.payload.text
        }
      }
      log.end()
      for await (const event of reader) if (event.type === 'text-delta') heard += event.payload.text
      expect(heard).toBe(said)
    }),
    { numRuns: 50 },
  )
})
