/**
 * Our readers of event streams, byte by byte, under the rules of WHATWG (server-sent events, 9.2.6) and the cases of the
 * web-platform-tests (eventsource/format-*). Each case is cut at each byte, and a reader of others reads it too.
 */
import { createParser } from 'eventsource-parser'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serverSentEvents } from '../../src/react/source/server-sent-events.ts'
import { askStreaming } from '../support/agents/model-calls.ts'
import { startFaultServer, stream, type FaultServer } from '../support/fault-server.ts'
import { wires } from '../support/wires.ts'
import { whole } from './support/whole.ts'

interface Event {
  readonly id: string
  readonly event: string
  readonly data: string
}

interface Reading {
  readonly events: readonly Event[]
  readonly retryIn: number | undefined
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

async function read(pieces: readonly Uint8Array[]): Promise<Reading> {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece)
      controller.close()
    },
  })
  const { groups, retryIn } = serverSentEvents(body)
  const events: Event[] = []
  for await (const group of groups) events.push(...group)
  return { events, retryIn: retryIn() }
}

/** How the package reads the same bytes. It tells the id of an event alone, and not the one before it. */
function readByOthers(pieces: readonly Uint8Array[]): Reading {
  const decoder = new TextDecoder()
  const events: Event[] = []
  let [id, retryIn]: [string, number | undefined] = ['', undefined]
  const parser = createParser({
    onEvent: ({ id: own, event = 'message', data }) => {
      id = own ?? id
      events.push({ id, event, data })
    },
    onRetry: (milliseconds) => (retryIn = milliseconds),
  })
  const texts = pieces.map((piece) => decoder.decode(piece, { stream: true }))
  for (const text of texts) parser.feed(text)
  // It reads the last line break once it has seen that it is not half of one.
  if (texts.join('').endsWith('\r')) parser.feed('\n')
  return { events, retryIn }
}

const said = (data: string, event = 'message', id = ''): Event => ({ id, event, data })
const long = 'x'.repeat(whole ? 2000 : 200)

const cases: Readonly<Record<string, readonly [text: string, events: readonly Event[], retryIn?: number]>> = {
  'format-bom: one mark at the beginning is dropped, a later one is part of a field': [
    '\u{FEFF}data:1\n\n\u{FEFF}data:2\n\ndata:3\n\n',
    [said('1'), said('3')],
  ],
  'format-bom-2: of two marks the second is part of a field': [
    '\u{FEFF}\u{FEFF}data:1\n\ndata:2\n\ndata:3\n\n',
    [said('2'), said('3')],
  ],
  'format-comments: comments are dropped, with any line break': [
    `data:1\r:\0\n:\r\ndata:2\n:${long}\rdata:3\n:data:fail\r:${long}\ndata:4\n\n`,
    [said('1\n2\n3\n4')],
  ],
  'format-data-before-final-empty-line: an event without an empty line is dropped': [
    'retry:1000\ndata:test1\n\nid:test\ndata:test2',
    [said('test1')],
    1000,
  ],
  'format-field-data: a field without a colon is an empty one': [
    'data:\n\ndata\ndata\n\ndata:test\n\n',
    [said(''), said('\n'), said('test')],
  ],
  'format-field-event: a name holds for one event': [
    'event:test\ndata:x\n\ndata:x\n\n',
    [said('x', 'test'), said('x')],
  ],
  'format-field-event-empty: an empty name is that of a message': ['event: \ndata:data\n\n', [said('data')]],
  'format-field-id: the id is that of the event': ['id: …\ndata:a\n\n', [said('a', 'message', '…')]],
  'format-field-id-2: an empty id takes away the one before': [
    'id:1\ndata:a\n\ndata:b\n\nid\ndata:c\n\ndata:d\n\n',
    [said('a', 'message', '1'), said('b', 'message', '1'), said('c'), said('d')],
  ],
  'format-field-id-null: an id with a null character is passed over': [
    'id:1\ndata:a\n\nid:2\0x\ndata:b\n\n',
    [said('a', 'message', '1'), said('b', 'message', '1')],
  ],
  'format-field-parsing: names are exact, and one space goes': [
    'data:\0\ndata:  2\rData:1\ndata\0:2\ndata:1\r\0data:4\nda-ta:3\rdata_5\ndata:3\rdata:\r\n data:32\ndata:4\n\n',
    [said('\0\n 2\n1\n3\n\n4')],
  ],
  'format-field-retry: digits say when to come back': ['retry:03000\ndata:x\n\n', [said('x')], 3000],
  'format-field-retry-bogus: other characters do not': [
    'retry:3000\nretry:1000x\ndata:x\n\n',
    [said('x')],
    3000,
  ],
  'format-field-retry-empty: an empty one does not': ['retry\ndata:test\n\n', [said('test')]],
  'format-field-unknown: unknown fields are dropped': [
    'data:test\n data\ndata\nfoobar:xxx\njustsometext\n:thisisacommentyay\ndata:test\n\n',
    [said('test\n\ntest')],
  ],
  'format-leading-space: one space goes, a tab stays': [
    'data:\ttest\rdata: \ndata:test\n\n',
    [said('\ttest\n\ntest')],
  ],
  'format-newlines: each line break ends a line': [
    'data:test\r\ndata\ndata:test\r\n\r',
    [said('test\n\ntest')],
  ],
  'format-null-character: a null character is data': ['data:\0\n\n\n\n', [said('\0')]],
  'format-utf-8: the text is UTF-8': ['data:ok…\n\n', [said('ok…')]],
  'event-data: many events': [
    'data:msg\ndata: msg\n\n:\nfalsefield:msg\n\nfalsefield:msg\nData:data\n\ndata\n\ndata:end\n\n',
    [said('msg\nmsg'), said(''), said('end')],
  ],
}

test.for(Object.entries(cases))('%s', async ([, [text, events, retryIn]]) => {
  const bytes = bytesOf(text)
  const expected = { events, retryIn }
  const cuts = Array.from(bytes, (_, at) => [bytes.slice(0, at), bytes.slice(at)])
  expect(await read([...bytes].map((byte) => Uint8Array.of(byte))), 'a byte at a time').toEqual(expected)
  for (const pieces of cuts) {
    expect(await read(pieces), `cut behind byte ${pieces[0]?.length}`).toEqual(expected)
  }
  expect(readByOthers([bytes]), 'by the package').toEqual(expected)
})

/** What makes a difference to a reader, in any order. */
const breaks = fc.constantFrom('\r', '\n', '\r\n', '\n\n')
const marks = fc.constantFrom(':', ': ', ' ', '\0', '\u{FEFF}', 'x', 'Data: x', 'other: x')
const fields = fc.constantFrom('data', 'data:', 'data: é\u{1F600}', 'id', 'id: 7', 'event', 'event: told')
const retries = fc.constantFrom('retry', 'retry: 20', 'retry: -1')

test('the id of a block without data holds for the next event', async () => {
  expect(await read([bytesOf('id: 7\n\ndata\n\n')])).toEqual({
    events: [said('', 'message', '7')],
    retryIn: undefined,
  })
})

/** Of such a block the package forgets the id, and the rules of WHATWG keep it. */
function hasIdWithoutData(text: string): boolean {
  const lines = text.replace(/^\u{FEFF}/u, '').split(/\r\n|\r|\n/)
  let [hasId, hasData] = [false, false]
  for (const line of lines) {
    if (/^id(?::|$)/.test(line)) hasId = true
    if (/^data(?::|$)/.test(line)) hasData = true
    if (line !== '') continue
    if (hasId && !hasData) return true
    hasId = hasData = false
  }
  return false
}

test('any text is read as the package reads it, wherever it is cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(breaks, fields, marks, retries), { maxLength: 30 }),
      fc.array(fc.nat({ max: 200 }), { maxLength: 12 }),
      async (texts, places) => {
        fc.pre(!hasIdWithoutData(texts.join('')))
        const bytes = bytesOf(texts.join(''))
        const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].toSorted((a, b) => a - b)
        const pieces = [...ends, bytes.length].map((end, index) => bytes.slice(ends[index - 1] ?? 0, end))
        expect(await read(pieces)).toEqual(readByOthers([bytes]))
      },
    ),
    { numRuns: whole ? 20_000 : 1000 },
  )
})

test('an event is told as soon as its last line break is there', async () => {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  const { groups } = serverSentEvents(readable)
  for (const text of ['data:1\n\n', 'data:2\r\r', 'data:3\r\n\r\n']) {
    const next = groups.next()
    await writer.write(bytesOf(text))
    expect(await next).toEqual({ done: false, value: [said(text.slice(5, 6))] })
  }
  await groups.return()
})

/** Forms of one stream that mean the same. Each takes its lines with LF. */
const forms: Readonly<Record<string, (text: string) => string>> = {
  LF: (text) => text,
  CR: (text) => text.replaceAll('\n', '\r'),
  CRLF: (text) => text.replaceAll('\n', '\r\n'),
  'a byte order mark': (text) => `\u{FEFF}${text}`,
  comments: (text) => `: begun\n\n${text.replaceAll('\n\n', '\n\n: still here\n\n')}`,
  'fields that are not known, and no spaces': (text) =>
    `retry: 1\nother: x\n\n${text.replaceAll('data: ', 'data:')}`,
  'JSON over many lines': (text) => text.replaceAll(/(?<=^data: \{[^\n]*),(?=")/gm, ',\ndata: '),
}

describe.each(wires)('a model over $api', (wire) => {
  let server: FaultServer
  beforeAll(async () => {
    server = await startFaultServer()
  })
  afterAll(() => server.close())

  test.each(Object.entries(forms))('is read byte by byte with %s', async (_name, form) => {
    const text = form([...wire.hello, ...wire.end].join('').replaceAll('Hel', 'Grüße \u{1F600}'))
    server.answer = stream(Array.from(bytesOf(text), (byte) => Uint8Array.of(byte)))
    const { reply } = await askStreaming(wire.model({ baseURL: server.url }))
    expect(reply).toMatchObject({ text: 'Grüße \u{1F600}lo', finishReason: 'stop' })
  })
})
