/** The one place of timers: any number of milliseconds, also those that the timers of the platforms do not take. */
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  longestTimer,
  repeatTimer,
  sleep,
  startTimer,
  startTimerOn,
  timeoutSignal,
} from '../../../src/actors/values/timer.ts'
import { textStream } from '../../../src/runtime/text-stream.ts'
import { readSources } from '../../support/imports.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

/** Timers that obey only what the platforms take, and tell when they are called. */
function strictTimers() {
  let now = 0
  let waiting: { readonly at: number; readonly callback: () => void } | undefined
  let slices = 0
  return {
    timers: {
      setTimeout(callback: () => void, delay: number) {
        expect(delay).toBeGreaterThanOrEqual(0)
        expect(delay).toBeLessThanOrEqual(longestTimer)
        slices++
        waiting = { at: now + delay, callback }
      },
      clearTimeout: () => void (waiting = undefined),
    },
    /** Ends all timers one by one; returns the time at the end. */
    run(most: number) {
      while (waiting !== undefined) {
        if (slices >= most) break
        const { at, callback }: { readonly at: number; readonly callback: () => void } = waiting
        waiting = undefined
        now = at
        callback()
      }
      return now
    },
    isWaiting: () => waiting !== undefined,
  }
}

test('any delay is waited for to the millisecond, in slices that a platform takes', () => {
  const delays = fc.oneof(
    fc.integer({ min: 0, max: 10_000 }),
    fc.integer({ min: longestTimer - 3, max: longestTimer + 3 }),
    fc.integer({ min: 0, max: 2 ** 40 }),
  )
  fc.assert(
    fc.property(delays, (delay) => {
      const strict = strictTimers()
      let calls = 0
      startTimerOn(strict.timers, longestTimer, delay, () => void calls++)
      expect(strict.run(2_000)).toBe(delay)
      expect({ calls, isWaiting: strict.isWaiting() }).toEqual({ calls: 1, isWaiting: false })
    }),
  )
})

test('a timer that is stopped in any slice does not call back', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), (slice) => {
      const strict = strictTimers()
      let calls = 0
      const stop = startTimerOn(strict.timers, longestTimer, 5.5 * longestTimer, () => void calls++)
      strict.run(slice)
      stop()
      strict.run(1_000)
      expect({ calls, isWaiting: strict.isWaiting() }).toEqual({ calls: 0, isWaiting: false })
    }),
  )
})

test.each([
  [-1, 0],
  [Number.NEGATIVE_INFINITY, 0],
  [Number.NaN, 0],
  [2 ** 31, 2 ** 31],
])('a delay of %d is over after %d', async (delay, expected) => {
  const ended = vi.fn<() => void>()
  startTimer(delay, ended)
  await vi.advanceTimersByTimeAsync(Math.max(0, expected - 1))
  expect(ended).toHaveBeenCalledTimes(expected === 0 ? 1 : 0)
  await vi.advanceTimersByTimeAsync(1)
  expect(ended).toHaveBeenCalledOnce()
})

test('an endless delay does not end', async () => {
  const ended = vi.fn<() => void>()
  const stop = startTimer(Number.POSITIVE_INFINITY, ended)
  await vi.advanceTimersByTimeAsync(100 * longestTimer)
  expect(ended).not.toHaveBeenCalled()
  stop()
  expect(vi.getTimerCount()).toBe(0)
})

const month = 30 * 86_400_000

test('a pause, a signal and a beat of a month', async () => {
  const ends: string[] = []
  void sleep(month).then(() => ends.push('sleep'))
  const { signal } = timeoutSignal(month)
  signal.addEventListener('abort', () => ends.push((signal.reason as DOMException).name))
  const stop = repeatTimer(month, () => ends.push('beat'))
  await vi.advanceTimersByTimeAsync(month - 1)
  expect(ends).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(ends.toSorted()).toEqual(['TimeoutError', 'beat', 'sleep'])
  await vi.advanceTimersByTimeAsync(2 * month)
  expect(ends.filter((end) => end === 'beat')).toHaveLength(3)
  stop()
  expect(vi.getTimerCount()).toBe(0)
})

test('a signal that is stopped leaves no timer', () => {
  timeoutSignal(month).stop()
  expect(vi.getTimerCount()).toBe(0)
})

test.each([month, 1e12])(
  'a stream whose reader has %d ms is open, and does not beat all the time',
  async (long) => {
    const silent: AsyncIterator<string> = { next: () => Promise.withResolvers<never>().promise }
    const { signal } = new AbortController()
    const options = { heartbeat: long, readerTimeout: long, beat: ':\n\n', signal, failed: () => undefined }
    const reader = textStream(silent, options).getReader()
    await vi.advanceTimersByTimeAsync(1_000)
    const read = vi.fn<() => void>()
    void reader.read().then(read)
    await vi.advanceTimersByTimeAsync(long - 1)
    expect(read).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(read).toHaveBeenCalledOnce()
    await reader.cancel()
  },
)

/**
 * Those that the platform's timers are for: this file, the task of no delay, a clock of tests, and code that runs for a moment with
 * delays of its own. No number of a user's reaches them.
 */
const platform = [
  'actors/values/timer.ts',
  'actors/xstate-internals.ts',
  'actors/values/order.ts',
  'testing/contract/failures.ts',
  'testing/cover/machine-run.ts',
  'testing/explore/world/subject.ts',
  'testing/store-contract/listeners.ts',
  'testing/time/virtual-clock.ts',
]

/** The order of work: a test that replaces the globals must not hold a run up. The second throws for a listener, as XState does. */
const order = ['actors/values/order.ts', 'runtime/interpreter/lean-actor.ts']

const platformOrder = /\b(?:setImmediate|queueMicrotask|nextTick)\b/

const platformTimer = /\b(?:setTimeout|setInterval)\b|AbortSignal\.timeout|timers\/promises/

test.each([
  ['timers', platformTimer, platform],
  ['the order of work', platformOrder, order],
])('no other file takes %s from the platform', (_, pattern, allowed) => {
  const sources = Object.entries(readSources(join(import.meta.dirname, '../../../src')))
  expect(sources.length).toBeGreaterThan(500)
  const setting = sources.flatMap(([file, source]) => {
    const isPage = /^inspector\/(page|embed)\//.test(file) // applications with delays of their own
    const code = source.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
    return !isPage && pattern.test(code) ? [file] : []
  })
  expect(setting.toSorted().filter((file) => !allowed.includes(file))).toEqual([])
})
