/** The suites of the driver once more, with each request sent over `nodeFetch`. */
import { afterAll, expect, test } from 'vitest'
import { openai } from 'troupe'
import { nodeFetch } from 'troupe/node-http'
import { json, startFaultServer } from '../support/fault-server.ts'

const platform = globalThis.fetch
globalThis.fetch = nodeFetch()
afterAll(() => {
  globalThis.fetch = platform
})

await import('../actors/openai/both-apis.test.ts')
await import('../actors/openai/errors.test.ts')
await import('../actors/openai/large-replies.test.ts')
await import('../actors/openai/openai.test.ts')
await import('../actors/openai/secrets.test.ts')
await import('../actors/openai/stream-faults.test.ts')

test('a model sends its requests with the fetch that it is given', async () => {
  const server = await startFaultServer()
  server.answer = json(200, {
    choices: [{ index: 0, message: { role: 'assistant', content: 'yes' }, finish_reason: 'stop' }],
  })
  const asked: string[] = []
  const fetch = nodeFetch()
  const model = openai('m', {
    baseURL: server.url,
    fetch(input, init) {
      asked.push(input instanceof Request ? input.url : String(input))
      return fetch(input, init)
    },
  })
  const request = { messages: [{ role: 'user', content: 'ready?' }], tools: [], toolChoice: 'auto' } as const
  const reply = await model.generate(request, { signal: new AbortController().signal, idempotencyKey: 'k' })
  expect(reply.text).toBe('yes')
  expect(asked).toEqual([`${server.url}/chat/completions`])
  await server.close()
})
