/** The deadline of a function that answers within an effect. */
import { expect, test } from 'vitest'
import { inTime } from '../../src/runtime/in-time.ts'
import { virtualClock } from '../support/clocks/virtual-clock.ts'

const late = { code: 'HOOK_TIMEOUT', message: 'The hook did not answer within 100 ms.' }

test('an answer in time is given', async () => {
  const clock = virtualClock()
  expect(await inTime({ clock }, 100, 'The hook', () => 'yes')).toBe('yes')
  expect(await inTime({ clock }, 100, 'The hook', async () => 'yes')).toBe('yes')
})

test('a function that blocks the process beyond the deadline is late, and its rejection is handled', async () => {
  const clock = virtualClock()
  const unhandled: unknown[] = []
  const note = (reason: unknown): void => void unhandled.push(reason)
  process.on('unhandledRejection', note)
  const asked = inTime({ clock }, 100, 'The hook', () => {
    clock.advance(100)
    return Promise.reject(new Error('too late as well'))
  })
  await expect(asked).rejects.toMatchObject(late)
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
})

test('under a signal that has fired before, the call ends at once', async () => {
  const clock = virtualClock()
  const asked = inTime(
    { clock, signal: AbortSignal.abort() },
    100,
    'The hook',
    () => new Promise(() => undefined),
  )
  await expect(asked).rejects.toMatchObject(late)
})

test('a signal that fires during the call ends it', async () => {
  const clock = virtualClock()
  const controller = new AbortController()
  const asked = inTime(
    { clock, signal: controller.signal },
    100,
    'The hook',
    () => new Promise(() => undefined),
  )
  controller.abort()
  await expect(asked).rejects.toMatchObject(late)
})
