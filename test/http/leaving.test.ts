/** Behaviour 81: a reader that leaves, in whichever way, leaves nothing behind: no watch of its run is open. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { createTroupe } from 'troupe'
import {
  createHandler,
  type Handler,
  type HandlerOptions,
  type ServedTroupe,
  type WireName,
} from 'troupe/http'
import { describe, expect, test } from 'vitest'
import { speaker } from '../support/agents/speaker.ts'

/** A troupe that counts the readers of its watches which have not come to an end. */
function counting(troupe: ServedTroupe): { readonly counted: ServedTroupe; readonly open: () => number } {
  const open = new Set<object>()
  const counted: ServedTroupe = {
    ...troupe,
    watch(runId, options) {
      const watch = troupe.watch(runId, options)
      return {
        runId,
        textStream: watch.textStream,
        get ready() {
          return watch.ready
        },
        get diverged() {
          return watch.diverged
        },
        [Symbol.asyncIterator]() {
          const events = watch[Symbol.asyncIterator]()
          open.add(events)
          const noted = <Result extends IteratorResult<unknown>>(result: Result): Result => {
            if (result.done === true) open.delete(events)
            return result
          }
          return {
            next: async () => noted(await events.next()),
            return: async () => noted((await events.return?.()) ?? { done: true, value: undefined }),
          }
        },
      }
    },
  }
  return { counted, open: () => open.size }
}

const requests: Readonly<Record<WireName, () => Request>> = {
  troupe: () => new Request('http://server.test/runs/r/events'),
  'ai-sdk': () => new Request('http://server.test/agents/solo/chat/c/stream'),
  'ag-ui': () =>
    new Request('http://server.test/agents/solo/run', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ threadId: 'c', runId: 'r', messages: [{ role: 'user', content: 'Go' }] }),
    }),
}

const wires = ['troupe', 'ai-sdk', 'ag-ui'] as const

async function speaking(wire: WireName, options: Partial<HandlerOptions> = {}) {
  const { agent, say } = speaker(['One.'])
  const troupe = createTroupe({ agents: [agent] })
  const { counted, open } = counting(troupe)
  const handler = createHandler(counted, { authorize: 'everybody', agents: [agent], wire, ...options })
  const run = await troupe.start(agent, 'Speak', { runId: 'r', conversationId: 'c' })
  const end = async (): Promise<void> => {
    say(0)
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    await troupe.close()
  }
  return { handler, open, end, say }
}

async function opened(handler: Handler, request: Request) {
  const reader = (await handler(request)).body?.getReader()
  if (reader === undefined) throw new Error('There is no stream.')
  await reader.read()
  return reader
}

describe.each(wires)('the wire %s', (wire) => {
  test('a reader cancels its stream', async () => {
    const { handler, open, end } = await speaking(wire)
    const reader = await opened(handler, requests[wire]())
    expect(open()).toBe(1)
    await reader.cancel()
    await expect.poll(open).toBe(0)
    await end()
  })

  test('a request is aborted: in the midst of its stream, and before its answer', async () => {
    const { handler, open, end } = await speaking(wire)
    const leaving = new AbortController()
    const reader = await opened(handler, new Request(requests[wire](), { signal: leaving.signal }))
    leaving.abort()
    await expect.poll(open).toBe(0)
    await reader.closed
    const gone = new AbortController()
    const answer = handler(new Request(requests[wire](), { signal: gone.signal }))
    gone.abort()
    await answer
    await expect.poll(open).toBe(0)
    await end()
  })

  test('a reader takes nothing, or never begins', async () => {
    const { handler, open, end } = await speaking(wire, { readerTimeout: 1 })
    await opened(handler, requests[wire]())
    await handler(requests[wire]())
    await expect.poll(open).toBe(0)
    await end()
  })

  test('the run ends', async () => {
    const { handler, open, end, say } = await speaking(wire)
    const reader = await opened(handler, requests[wire]())
    say(0)
    for (let next = await reader.read(); !next.done; next = await reader.read());
    await expect.poll(open).toBe(0)
    await end()
  })
})

test('a connection is closed', async () => {
  const { handler, open, end } = await speaking('troupe')
  const server = createAdaptorServer({ fetch: handler }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const leaving = new AbortController()
  const { body } = await fetch(`http://127.0.0.1:${port}/runs/r/events`, { signal: leaving.signal })
  await body?.getReader().read()
  expect(open()).toBe(1)
  leaving.abort()
  await expect.poll(open).toBe(0)
  await end()
  server.close()
})
