/** A text that cannot be taken back: what is said again is told once. */
import { expect, test } from 'vitest'
import type { FinalResult, RunEvent } from 'troupe'
import { textOf } from '../../src/runtime/handle/text-stream.ts'
import { allOf } from '../support/all-of.ts'

type Said = readonly [messageId: string, text: string, attempt?: number]

const delta = ([messageId, text, attempt]: Said): object => ({
  type: 'text-delta',
  messageId,
  payload: { text },
  ...(attempt === undefined ? {} : { attempt }),
})
const end = (messageId: string, status = 'complete'): object => ({
  type: 'text-end',
  messageId,
  payload: { text: '', status },
})
const failure = (messageId: string): object => ({ type: 'error', messageId, payload: { willRetry: true } })

async function told(...events: readonly object[]): Promise<string[]> {
  async function* all(): AsyncGenerator<RunEvent> {
    for (const event of events) yield event as RunEvent
  }
  return allOf(textOf(all(), async () => ({ outcome: 'completed' }) as FinalResult))
}

test('messages follow one another, whatever they begin with', async () => {
  expect(await told(delta(['a', 'Yes']), end('a'), delta(['b', 'Yes, sir']), end('b'))).toEqual([
    'Yes',
    'Yes, sir',
  ])
  // The end of the one may be heard of later than the beginning of the next.
  expect(await told(delta(['a', 'Yes']), delta(['b', 'Yes, sir']), end('a'))).toEqual(['Yes', 'Yes, sir'])
})

test.for([
  ['goes on', ['One ', 'two three'], 'One two three'],
  ['says the same', ['One ', 'two'], 'One two'],
  ['differs later', ['One tw', 'enty'], 'One twoOne twenty'],
  ['differs at once', ['Two'], 'One twoTwo'],
  ['says less', ['One'], 'One twoOne'],
] as const)('another attempt at the same message that %s', async ([, again, expected]) => {
  const texts = again.map((text) => delta(['a', text, 2]))
  expect((await told(delta(['a', 'One ']), delta(['a', 'two']), ...texts, end('a'))).join('')).toBe(expected)
})

test('a call that failed and is made again is another message', async () => {
  const first = [delta(['a', 'One ']), failure('a')]
  expect(await told(...first, delta(['b', 'One two']), end('b'))).toEqual(['One ', 'two'])
  expect(await told(...first, delta(['b', 'Two']), end('b'))).toEqual(['One ', 'Two'])
})

test('what is cut or rejected has not been said to its end', async () => {
  const first = [delta(['a', 'One ']), end('a', 'cut'), failure('a')]
  expect(await told(...first, delta(['b', 'One two']), end('b'))).toEqual(['One ', 'two'])
  expect(await told(delta(['a', 'One ']), end('a', 'cut'), delta(['a', 'One', 2]), end('a'))).toEqual([
    'One ',
    'One',
  ])
  expect(await told(delta(['a', 'One']), end('a', 'rejected'), delta(['b', 'Two']), end('b'))).toEqual([
    'One',
    'Two',
  ])
})

test('a third attempt is held to the second', async () => {
  const deltas = [delta(['a', 'One']), delta(['a', 'Two', 2]), delta(['a', 'Two and', 3]), end('a')]
  expect(await told(...deltas)).toEqual(['One', 'Two', ' and'])
})
