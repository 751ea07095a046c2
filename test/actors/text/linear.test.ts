/** A text from outside of any awkward shape is read in a time that is linear in its length, by everything that searches it. Behaviour 89. */
import { expect, test } from 'vitest'
import { z } from 'zod'
import { foreignSchema } from '../../../src/actors/schemas/json-schema.ts'
import { quirkOf } from '../../../src/actors/openai/shared/quirks.ts'
import { jsonIn } from '../../../src/actors/text/json-in.ts'
import { partedReply, ThoughtReader, withoutThoughts } from '../../../src/actors/text/thoughts.ts'
import { withoutEnd } from '../../../src/actors/text/without-end.ts'
import { withoutCredentials } from '../../../src/errors/credentials.ts'
import { TerminalError, toErrorData } from '../../../src/errors.ts'
import { parseDecision } from '../../../src/machines/decision/parse-decision.ts'
import { redactor } from '../../../src/testing/models/redaction.ts'

const pieces = [
  ' ',
  '\n',
  ' \n',
  '\t',
  '[',
  '{',
  ']',
  '}',
  '{"',
  '["',
  '{"a":',
  '[1,',
  '[1',
  '{"{',
  '"{',
  '[]',
  '{}',
  '{"a":1}',
  '{"a"',
  '"',
  "'",
  '\\',
  '\\"',
  '```json\n',
  '`',
  '<think>',
  '</think>',
  '<think></think>',
  '</think>\n',
  '\n</think> ',
  '<th',
  '</th',
  '[/THINK',
  '\n```\n',
  '<',
  '>',
  '1',
  '0.',
  '-',
  'a-',
  'a.',
  '+A',
  'AAAA',
  '=',
  '/',
  '//',
  '://',
  'https://a',
  '@',
  '&token',
  '?key=',
  '&',
  'bearer ',
  'authorization: ',
  'sk-',
  ':',
  '\ud800',
  '😀',
  '\r',
  'reasoning_content ',
  'reasoning_content\n',
  'aaaaaaaa-',
]

const formats = ['email', 'uri', 'date-time', 'date', 'time', 'ipv4', 'ipv6', 'uuid', 'hostname', 'duration']
const schemas = formats.map((format) =>
  foreignSchema({ type: 'object', properties: { x: { type: 'string', format } } }),
)
const redact = redactor(['a-secret-of-mine'])
const request = {
  messages: [{ role: 'assistant' as const, content: 'x' }],
  tools: [],
  toolChoice: 'auto' as const,
  settings: {},
}

const readers: Readonly<Record<string, (text: string) => unknown>> = {
  'the JSON of a reply': jsonIn,
  'the thoughts of a reply': withoutThoughts,
  'the thoughts before an answer': (text) => [partedReply(text), partedReply(`<think>${text}`)],
  'thoughts as they come': (text) => {
    const reader = new ThoughtReader()
    for (const piece of `<think>${text}`) reader.add(piece)
    reader.end()
  },
  'a decision': (text) => parseDecision(text, z.object({ b: z.string() })),
  'an error': (text) => toErrorData(new Error(text)),
  'its credentials': withoutCredentials,
  'a recording': redact,
  'the end of an address': (text) => withoutEnd(text, '/'),
  'a refusal of a server': (text) =>
    quirkOf(new TerminalError(text, { code: 'INVALID_REQUEST' }), request, [
      'wants-reasoning',
      'wants-signature',
    ]),
  'the formats of a server': (text) => schemas.map((schema) => schema['~standard'].validate({ x: text })),
}

/** The least of several runs, in milliseconds. */
function timeOf(read: (text: string) => unknown, text: string): number {
  return Math.min(
    ...Array.from({ length: 3 }, () => {
      const begun = performance.now()
      read(text)
      return performance.now() - begun
    }),
  )
}

/**
 * A quadratic reader takes four hundred times as long for twenty times the text. The floor is for readers that take no time
 * for the short one, on a machine that does other work.
 */
const mostTimes = 200
const floor = 5

test.each(Object.entries(readers))('%s is read in linear time', (_, read) => {
  const slow = pieces.flatMap((piece) => {
    const [short, long] = [20_000, 400_000].map((length) => `x${piece.repeat(length / piece.length)}`) as [
      string,
      string,
    ]
    const before = timeOf(read, short)
    const after = timeOf(read, long)
    return after > mostTimes * Math.max(before, floor) ? [{ piece, before, after }] : []
  })
  expect(slow).toEqual([])
})

test('an error text is cut before it is searched, at the end of a word', () => {
  const { message } = toErrorData(new Error('word '.repeat(100_000)))
  expect(message).toMatch(/word … \(of 500000 characters\)$/)
  expect(message.length).toBeLessThanOrEqual(20_000)
  expect(toErrorData(new Error(message)).message).toBe(message)
})

test('a credential is not shown where the text of an error is cut in it', () => {
  for (let before = 19_900; before < 20_010; before++) {
    const text = `${'x'.repeat(before)} https://user:a-long-password@host/${' y'.repeat(100)}`
    expect(toErrorData(new Error(text)).message).not.toMatch(/user:/)
  }
})
