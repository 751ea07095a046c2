/** Which deltas of which execution count, and what becomes of those that do not. */
import { describe, expect, test } from 'vitest'
import type { RunEvent } from 'troupe'
import type { WorkerDelta } from 'troupe/restate'
import { Attempts } from '../../../src/restate/deltas/attempts.ts'
import { DeltaLog } from '../../../src/restate/deltas/delta-log.ts'
import { RunLog } from '../../../src/restate/client/tree-replay.ts'
import { allOf } from '../../support/all-of.ts'

const at = 1
const envelope = { at, runId: 'run', agent: 'solo', path: 'solo', messageId: 'solo:1' } as const

function said(execution: string, index: number, text = '.'): WorkerDelta {
  return { ...envelope, type: 'text-delta', payload: { text }, execution, index }
}

function whole(text: string, type: 'text-start' | 'text-delta' | 'text-end', seq: number): RunEvent {
  const status = type === 'text-end' ? { status: 'complete' } : {}
  return { ...envelope, seq, type, payload: { text, ...status } } as RunEvent
}

describe('attempts', () => {
  const admitted = (attempts: Attempts, ...deltas: readonly WorkerDelta[]) =>
    deltas.map((delta) => {
      const found = attempts.admit(delta)
      return found && [found.delta.attempt, found.isFirst]
    })

  test('one that begins later makes void what another says from then on', () => {
    const attempts = new Attempts()
    expect(admitted(attempts, said('z', 0), said('z', 1), said('a', 0), said('z', 2), said('a', 1))).toEqual([
      [undefined, true],
      [undefined, false],
      [2, true],
      undefined,
      [2, false],
    ])
  })

  test('each message is begun by itself', () => {
    const attempts = new Attempts()
    const other: WorkerDelta = { ...said('b', 0), messageId: 'solo:2' }
    expect(admitted(attempts, said('a', 0), other, said('a', 1))).toEqual([
      [undefined, true],
      [undefined, true],
      [undefined, false],
    ])
  })

  test('one that was joined in its midst makes nothing void', () => {
    expect(admitted(new Attempts(), said('a', 3))).toEqual([undefined])
    const attempts = new Attempts()
    expect(admitted(attempts, said('a', 0), said('b', 1), said('a', 1))).toEqual([
      [undefined, true],
      undefined,
      [undefined, false],
    ])
  })

  test('progress stands for itself: what was lost makes nothing void, an earlier execution does', () => {
    const report = (execution: string, index: number): WorkerDelta => ({
      at,
      runId: 'run',
      agent: 'solo',
      path: 'solo/call:1.1',
      type: 'tool-progress',
      payload: { toolCallId: 'solo/call:1.1', toolName: 'wait', value: index },
      execution,
      index,
    })
    expect(
      admitted(
        new Attempts(),
        report('a', 1),
        report('a', 3),
        report('a', 2),
        report('b', 0),
        report('a', 4),
      ),
    ).toEqual([[undefined, false], [undefined, false], undefined, [undefined, true], undefined])
  })

  test('the arguments of each call are begun by themselves', () => {
    const piece = (execution: string, index: number, call: string): WorkerDelta => ({
      ...envelope,
      type: 'tool-call-delta',
      payload: { toolCallId: `solo/call:${call}`, toolName: 'look', text: '{' },
      execution,
      index,
    })
    const attempts = new Attempts()
    expect(
      admitted(
        attempts,
        piece('a', 0, '1.1'),
        piece('a', 0, '1.2'),
        piece('b', 0, '1.1'),
        piece('a', 1, '1.1'),
      ),
    ).toEqual([[undefined, true], [undefined, true], [2, true], undefined])
    attempts.conclude('solo:1')
    expect(admitted(attempts, piece('b', 1, '1.1'))).toEqual([undefined])
  })

  test('after one that was lost nothing follows', () => {
    expect(admitted(new Attempts(), said('a', 0), said('a', 2), said('a', 3))).toEqual([
      [undefined, true],
      undefined,
      undefined,
    ])
  })

  test('what comes after the message is void', () => {
    const attempts = new Attempts()
    expect(admitted(attempts, said('a', 0))).toEqual([[undefined, true]])
    attempts.conclude('solo:1')
    expect(admitted(attempts, said('a', 1), said('b', 0))).toEqual([undefined, undefined])
  })
})

test('a worker counts the deltas of each message, and each of its executions has a name of its own', () => {
  const published: WorkerDelta[] = []
  const sink = { publish: (delta: WorkerDelta) => void published.push(delta) }
  const stream = (log: DeltaLog, isFirst: boolean, messageId: string) =>
    log.stream({ ...envelope, messageId, type: 'text-delta', payload: { text: '.' } }, isFirst)
  const log = new DeltaLog(sink, () => undefined)
  stream(log, true, 'a')
  stream(log, false, 'a')
  stream(log, true, 'b')
  stream(new DeltaLog(sink, () => undefined), true, 'a')
  expect(published.map(({ index }) => index)).toEqual([0, 1, 0, 0])
  const [first, second, third, other] = published.map(({ execution }) => execution)
  expect([second, third]).toEqual([first, first])
  expect(other).not.toBe(first)
})

describe('a message of which another attempt was streamed', () => {
  async function readerOf(text: string, ...deltas: readonly WorkerDelta[]) {
    const log = new RunLog()
    const reader = log.read()
    for (const delta of deltas) log.hear(delta)
    log.conclude({ messageId: 'solo:1', status: 'complete', 'text-delta': text, 'reasoning-delta': '' })
    log.publish(whole('', 'text-start', 1), 0)
    log.publish(whole(text, 'text-delta', 2), 0)
    log.publish(whole(text, 'text-end', 3), 0)
    log.end()
    const events = await allOf(reader)
    return events.map((event) => [
      event.type,
      event.attempt,
      event.type === 'text-delta' ? event.payload.text : '',
      ...(event.type === 'text-end' && event.payload.status !== 'complete' ? [event.payload.status] : []),
    ])
  }

  test('comes in full, as the next attempt, where it is another', async () => {
    expect(await readerOf('Oslo it is.', said('a', 0, 'The cap'))).toEqual([
      ['text-start', undefined, ''],
      ['text-delta', undefined, 'The cap'],
      ['text-end', undefined, '', 'cut'],
      ['text-start', 2, ''],
      ['text-delta', 2, 'Oslo it is.'],
      ['text-end', undefined, ''],
    ])
  })

  test('is gone on with where it begins in the same way', async () => {
    expect(await readerOf('The capital.', said('a', 0, 'The cap'))).toEqual([
      ['text-start', undefined, ''],
      ['text-delta', undefined, 'The cap'],
      ['text-delta', undefined, 'ital.'],
      ['text-end', undefined, ''],
    ])
    const deltas = [said('a', 0, 'The dog'), said('b', 0, 'The '), said('b', 1, 'cap')]
    expect((await readerOf('The capital.', ...deltas)).slice(2)).toEqual([
      ['text-end', undefined, '', 'cut'],
      ['text-start', 2, ''],
      ['text-delta', 2, 'The cap'],
      ['text-delta', 2, 'ital.'],
      ['text-end', undefined, ''],
    ])
  })
})
