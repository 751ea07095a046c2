/** A stream of text and its reader: what it asks for, and what it lets go. */
import { expect, test, vi } from 'vitest'
import { textStream } from '../../src/runtime/text-stream.ts'

function counted(length: number) {
  const counts = { made: 0, left: 0 }
  const texts: AsyncIterator<string> = {
    next: async () =>
      counts.made++ < length ? { done: false, value: 'x'.repeat(1_000) } : { done: true, value: undefined },
    return: async () => {
      counts.left++
      return { done: true, value: undefined }
    },
  }
  return { counts, texts }
}

const options = { heartbeat: 60_000, beat: ':', failed: () => undefined }

test('a reader that does not read is cut off: nothing more is made for it, what waits is dropped, and no listener is left', async () => {
  const leaving = new AbortController()
  const removed = vi.spyOn(leaving.signal, 'removeEventListener')
  const { counts, texts } = counted(100)
  const reader = textStream(texts, { ...options, readerTimeout: 20, signal: leaving.signal }).getReader()
  await reader.read()
  expect(counts).toEqual({ made: 1, left: 0 })
  await expect(reader.closed).rejects.toMatchObject({ code: 'READER_TIMEOUT' })
  expect(counts).toEqual({ made: 1, left: 1 })
  expect(removed).toHaveBeenCalledOnce()
  await expect(reader.read()).rejects.toMatchObject({ code: 'READER_TIMEOUT' })
})

test('a reader that leaves, or whose connection is gone, is left once', async () => {
  const leaving = new AbortController()
  const { counts, texts } = counted(100)
  const reader = textStream(texts, { ...options, readerTimeout: 60_000, signal: leaving.signal }).getReader()
  await reader.read()
  leaving.abort()
  await reader.closed
  await reader.cancel()
  expect(counts).toEqual({ made: 1, left: 1 })
})
