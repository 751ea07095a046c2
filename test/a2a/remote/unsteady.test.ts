/** Servers that hang, break off, send no sense, and tell more than was asked for. */
import { createTroupe } from 'troupe'
import { expect, test } from 'vitest'
import { worker } from '../../support/agents/agents.ts'
import { partnerWith, standingFor, type PartnerOptions } from './partner.ts'

const never = new Promise<never>(() => undefined)

const types: Readonly<Record<string, string>> = { SubscribeToTask: 'text/event-stream' }

/** A reply whose body hangs, or breaks off. */
function cut(method: string, how: 'hangs' | 'breaks'): Response {
  let parts = 0
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (how === 'hangs') return never
      if (parts++ === 0) return controller.enqueue(new TextEncoder().encode('{"jsonrpc"'))
      return controller.error(new TypeError('terminated'))
    },
  })
  return new Response(body, { headers: { 'content-type': types[method] ?? 'application/json' } })
}

const poet = () => worker('poet', ['Snow falls.']).agent

async function outcomeWith(around: PartnerOptions['around'], more: Parameters<typeof standingFor>[1] = {}) {
  const partner = partnerWith(poet(), { around })
  const result = await standingFor(partner, { requestTimeout: 50, retries: 0, ...more }).generate('A haiku.')
  return result.outcome === 'failed' ? result.error.code : result.outcome
}

test.each(['card', 'SendMessage', 'GetTask'])('a server that hangs is not waited for: %s', async (method) => {
  const at = (reply: () => Promise<Response>): PartnerOptions['around'] => {
    return (arrived, answer) => (arrived.method === method ? reply() : answer())
  }
  expect(await outcomeWith(at(() => never))).toBe('REMOTE_TIMEOUT')
  expect(await outcomeWith(at(async () => cut(method, 'hangs')))).toBe('REMOTE_TIMEOUT')
  expect(await outcomeWith(at(async () => cut(method, 'breaks')))).toBe('REMOTE_UNREACHABLE')
})

test.each(['card', 'SendMessage', 'GetTask', 'SubscribeToTask'])(
  'a run is cancelled while the server hangs: %s',
  async (method) => {
    const asked = Promise.withResolvers<void>()
    const partner = partnerWith(poet(), {
      around: ({ method: name }, answer) => {
        if (name !== method) return answer()
        asked.resolve()
        return never
      },
    })
    const agent = standingFor(partner, { requestTimeout: 50, pollInterval: 100_000 })
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'A haiku.')
    await asked.promise
    await run.cancel()
    expect(await run.result).toMatchObject({ outcome: 'cancelled' })
    await troupe.close()
  },
)

test('a connection that breaks for a moment is repeated, and the task is begun once', async () => {
  const cuts = new Set(['card', 'SendMessage', 'GetTask', 'SubscribeToTask'])
  const partner = partnerWith(poet(), {
    around: async ({ method }, answer) => {
      const response = await answer()
      return cuts.delete(method) ? cut(method, 'breaks') : response
    },
  })
  const result = await standingFor(partner, { retries: 3 }).generate('A haiku.')
  expect(result).toMatchObject({ outcome: 'completed', text: 'Snow falls.' })
  expect((await partner.troupe.runs()).items).toHaveLength(1)
})

test.each([
  ['a stream that always breaks', async () => cut('SubscribeToTask', 'breaks')],
  ['a stream that is none', async () => new Response('<html>')],
  ['a stream that is not available', async () => new Response('', { status: 503 })],
])('%s: the task is asked for instead', async (_, stream) => {
  const outcome = await outcomeWith(({ method }, answer) =>
    method === 'SubscribeToTask' ? stream() : answer(),
  )
  expect(outcome).toBe('completed')
})

test('a stream without an end is left when the run is cancelled', async () => {
  let isLeft = false
  const partner = partnerWith(poet(), {
    around: async ({ method, id }, answer) => {
      if (method === 'GetTask') return never
      if (method !== 'SubscribeToTask') return answer()
      const status = {
        state: 'TASK_STATE_WORKING',
        message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'On.' }] },
      }
      const event = { jsonrpc: '2.0', id, result: { statusUpdate: { taskId: 't', contextId: 'c', status } } }
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          await new Promise((resolve) => setTimeout(resolve, 1))
          controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`))
        },
        cancel() {
          isLeft = true
        },
      })
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    },
  })
  const agent = standingFor(partner)
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'A haiku.')
  let told = 0
  for await (const event of run.events) {
    if (event.type !== 'tool-progress') continue
    if (++told === 3) break
  }
  await run.cancel()
  expect(await run.result).toMatchObject({ outcome: 'cancelled' })
  await expect.poll(() => isLeft).toBe(true)
  await troupe.close()
})

test.each(['', 'null', '[]', '{}', '<html>', '{"name":1,"supportedInterfaces":[{"url":7}]}', '{"name":"x"}'])(
  'a card of no sense is named as such: %s',
  async (body) => {
    const outcome = await outcomeWith(async ({ method }, answer) =>
      method === 'card' ? new Response(body) : answer(),
    )
    expect(outcome).toBe('REMOTE_CARD_INVALID')
  },
)

test('a card that is not there is named as such, and read again by the next run', async () => {
  let isThere = false
  const partner = partnerWith(poet(), {
    around: async ({ method }, answer) =>
      method === 'card' && !isThere ? new Response('', { status: 404 }) : answer(),
  })
  const agent = standingFor(partner)
  expect(await agent.generate('A haiku.')).toMatchObject({ error: { code: 'REMOTE_CARD_INVALID' } })
  isThere = true
  expect(await agent.generate('A haiku.')).toMatchObject({ outcome: 'completed' })
})

test('a message is found among many others of its task', async () => {
  let isLost = false
  const chatter = withChatter()
  const partner = partnerWith(poet(), {
    around: async (arrived, answer) => {
      if (arrived.method === 'ListTasks') return chatter(arrived, answer)
      const response = await answer()
      if (arrived.method !== 'SendMessage' || isLost) return response
      isLost = true
      throw new TypeError('The connection was closed.')
    },
  })
  expect(await standingFor(partner).generate('A haiku.')).toMatchObject({ outcome: 'completed' })
  expect((await partner.troupe.runs()).items).toHaveLength(1)
  expect(partner.count('ListTasks')).toBe(2)
})

interface Listed {
  readonly result: { readonly tasks: readonly { readonly history: readonly object[] }[] }
}

/** The lists of a server that has said a lot since the message came, and lists tasks on many pages. */
function withChatter(): NonNullable<PartnerOptions['around']> {
  let page: Listed | undefined
  return async ({ id }, answer) => {
    if (page === undefined) {
      page = (await (await answer()).json()) as Listed
      const result = { tasks: [], nextPageToken: 'second', pageSize: 1, totalSize: 2 }
      return Response.json({ ...page, id, result })
    }
    const said = Array.from({ length: 200 }, (_said, index) => ({
      messageId: `said ${index}`,
      role: 'ROLE_AGENT',
      parts: [{ text: 'So.' }],
    }))
    const tasks = page.result.tasks.map((task) => ({ ...task, history: [...task.history, ...said] }))
    return Response.json({ ...page, id, result: { ...page.result, tasks } })
  }
}
