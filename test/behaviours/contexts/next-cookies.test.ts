/** Next's own `cookies()`, in tools: it reads the storages in which a server of Next keeps the request. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { createRequire } from 'node:module'
import { createAgent, createTool, createTroupe, type Run } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { modelOf } from './desk.ts'

interface Next {
  readonly cookies: () => Promise<{ get(name: string): { readonly value: string } | undefined }>
  readonly workAsyncStorage: AsyncLocalStorage<object>
  readonly workUnitAsyncStorage: AsyncLocalStorage<object>
  readonly RequestCookies: new (headers: Headers) => object
}

const require = createRequire(import.meta.url)

/** A server of Next gives it to the global scope before it loads any other module of its own. */
function loadNext(): Next {
  Object.assign(globalThis, { AsyncLocalStorage })
  const at = 'next/dist/server'
  return {
    ...(require(`${at}/request/cookies`) as Pick<Next, 'cookies'>),
    ...(require(`${at}/app-render/work-async-storage.external`) as Pick<Next, 'workAsyncStorage'>),
    ...(require(`${at}/app-render/work-unit-async-storage.external`) as Pick<Next, 'workUnitAsyncStorage'>),
    ...(require(`${at}/web/spec-extension/cookies`) as Pick<Next, 'RequestCookies'>),
  }
}

const folder = temporaryFolder()
let next: Next
beforeAll(() => {
  next = loadNext()
})
afterAll(() => {
  Reflect.deleteProperty(globalThis, 'AsyncLocalStorage')
  folder[Symbol.dispose]()
})

/** Answers a request with this cookie, as a route of Next does. */
function request<Value>(session: string, route: () => Promise<Value>): Promise<Value> {
  const { RequestCookies, workAsyncStorage, workUnitAsyncStorage } = next
  const cookies = new RequestCookies(new Headers({ cookie: `session=${session}` }))
  return workAsyncStorage.run({ route: '/api/orders' }, () =>
    workUnitAsyncStorage.run({ type: 'request', phase: 'render', cookies }, route),
  )
}

/** The cookie as the code of a tool reads it: `cookies()` throws outside of a request. */
async function sessionHere(): Promise<string> {
  try {
    return (await next.cookies()).get('session')?.value ?? 'none'
  } catch {
    return 'outside of a request'
  }
}

test.each([false, true])(
  'a tool reads the cookies of the request that started its run (worker: %s)',
  async (worker) => {
    /** By run. */
    const seen = new Map<string | undefined, string>()
    const orders = createTool({
      id: 'orders',
      description: 'The orders of the customer.',
      inputSchema: z.object({}),
      requireApproval: true,
      execute: async (_, { idempotencyKey }) => {
        seen.set(idempotencyKey.split('/')[0], await sessionHere())
      },
    })
    const model = modelOf('shop', [{ id: 'c1', name: 'orders', args: {} }])
    const agent = createAgent({ id: 'shop', model, tools: { orders } })
    const store = sqliteStore(folder.file(`${worker}.db`), { worker, synchronous: 'normal' })
    const troupe = createTroupe({ agents: [agent], store })
    const sessions = Array.from({ length: 20 }, (_, index) => `user ${index}`)
    const runs: Run[] = await Promise.all(
      sessions.map((session) =>
        request(session, async () => {
          const run = await troupe.start(agent, 'What have I ordered?')
          await run.whenIdle
          return run
        }),
      ),
    )
    expect(await sessionHere()).toBe('outside of a request')
    // One person approves all of them, from a request of their own.
    const approve = ({ id }: Run): Promise<void> =>
      troupe.signal(id, { type: 'approve', toolCallId: 'shop/call:1.1' })
    await request('the boss', () => Promise.all(runs.map(approve)))
    await Promise.all(runs.map(({ result }) => result))
    expect(runs.map(({ id }) => seen.get(id))).toEqual(sessions)
    await troupe.close()
    await store.close()
  },
)
