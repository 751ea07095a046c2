/**
 * A server of its own process, on Hono and the HTTP of Node: `server-process.ts <file of the store> <pieces>`. Its model says so many
 * pieces of its answer, and then no more; without a number it says all of them.
 */
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { createAgent, createTroupe, type ChatModel, type ModelCallOptions } from 'troupe'
import { createHandler } from 'troupe/http'
import { sqliteStore } from 'troupe/sqlite'

const [, , file = '', most] = process.argv
const pieces = Array.from({ length: 40 }, (_, index) => `word${index} `)

const model: ChatModel = {
  provider: 'test',
  modelId: 'speaker',
  async generate(_, { onDelta }: ModelCallOptions) {
    for (const [index, text] of pieces.entries()) {
      if (index === Number(most)) await new Promise(() => undefined)
      onDelta?.({ type: 'text', text })
    }
    const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
    return { text: pieces.join(''), toolCalls: [], finishReason: 'stop', usage }
  },
}
const agent = createAgent({ id: 'solo', instructions: 'Speak.', model })
const troupe = createTroupe({ agents: [agent], store: sqliteStore(file), leaseTtl: 500, pollInterval: 20 })
await troupe.recover({ every: 50 })
const options = { authorize: 'everybody', agents: [agent] } as const
const handlers = {
  '/api/*': createHandler(troupe, { ...options, base: '/api' }),
  '/ai-sdk/*': createHandler(troupe, { ...options, base: '/ai-sdk', wire: 'ai-sdk' }),
  '/ag-ui/*': createHandler(troupe, { ...options, base: '/ag-ui', wire: 'ag-ui' }),
}
const app = new Hono()
for (const [path, handler] of Object.entries(handlers)) app.all(path, (context) => handler(context.req.raw))
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => console.log(port))
