/** The time that a store is given for an answer. */
import { StoreError, type Clock } from 'troupe'
import { expect, test } from 'vitest'
import { answered } from '../../src/runtime/store-outage.ts'

/** Timers run when the test says so. */
class HandClock implements Clock {
  time = 1_000
  timer: (() => void) | undefined

  now(): number {
    return this.time
  }

  after(_delay: number, callback: () => void): () => void {
    this.timer = callback
    return () => (this.timer = undefined)
  }

  /** The timer runs when `passed` milliseconds are over. */
  run(passed: number): void {
    this.time += passed
    this.timer?.()
  }
}

test('a store that does not answer within the span is an outage', async () => {
  const clock = new HandClock()
  const asking = answered(clock, 300, () => new Promise(() => undefined))
  clock.run(300)
  await expect(asking).rejects.toThrow(StoreError)
  expect(clock.timer).toBeUndefined()
})

test('a process that stood still reads the answer that has come meanwhile', async () => {
  const clock = new HandClock()
  const store = Promise.withResolvers<string>()
  const asking = answered(clock, 300, () => store.promise)
  clock.run(2_000)
  store.resolve('here')
  expect(await asking).toBe('here')
  expect(clock.timer).toBeUndefined()
})

test('after it stood still, the span counts anew', async () => {
  const clock = new HandClock()
  const asking = answered(clock, 300, () => new Promise(() => undefined))
  clock.run(2_000)
  clock.run(300)
  await expect(asking).rejects.toThrow('The store has not answered within 300 ms.')
})

test('the failure of the store is its answer', async () => {
  const clock = new HandClock()
  await expect(answered(clock, 300, () => Promise.reject(new Error('no disk')))).rejects.toThrow('no disk')
  expect(clock.timer).toBeUndefined()
})

test('so is what it throws at once', async () => {
  const failure = new Error('It is closed.')
  const asking = answered(new HandClock(), 300, () => {
    throw failure
  })
  await expect(asking).rejects.toBe(failure)
})
