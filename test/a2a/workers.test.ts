/**
 * On Workers a module may begin no timer, no request and no signal, and draw no random number, while it loads. A script of the
 * package as it is built is loaded in a scope that forbids these, and then answers a request.
 */
import { join } from 'node:path'
import vm from 'node:vm'
import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

const entry = `
import { createAgent, createTroupe } from ${JSON.stringify(join(root, 'dist/index.js'))}
import { a2aFetch, a2aHandler, agentCard } from ${JSON.stringify(join(root, 'dist/a2a/index.js'))}
export function serve(model) {
  const agent = createAgent({ id: 'poet', description: 'Writes poems.', model })
  const troupe = createTroupe({ agents: [agent] })
  const card = agentCard(agent, { endpoints: [{ url: 'http://localhost/a2a', binding: 'JSONRPC' }] })
  return a2aFetch(a2aHandler(agent, { troupe, card }), { authenticate: 'everybody' })
}`

async function bundle(source: string): Promise<string> {
  const built = await rolldown({
    input: 'entry',
    platform: 'neutral',
    resolve: { conditionNames: ['workerd', 'worker', 'import', 'default'] },
    external: [/^node:/],
    logLevel: 'silent',
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === 'entry' ? id : null),
        load: (id) => (id === 'entry' ? source : null),
      },
    ],
  })
  const { output } = await built.generate({ format: 'iife', name: 'script', codeSplitting: false })
  await built.close()
  return output[0].code
}

/** The globals of a worker; `load` runs a script among them as its global scope. */
function workerScope(): { load(code: string): unknown } {
  let isLoading = false
  const assertRequest = (name: string): void => {
    if (isLoading) throw new Error(`${name} is not allowed in the global scope`)
  }
  const guarded =
    <Args extends readonly unknown[], Result>(name: string, call: (...args: Args) => Result) =>
    (...args: Args): Result => {
      assertRequest(name)
      return call(...args)
    }
  class GuardedController extends AbortController {
    constructor() {
      super()
      assertRequest('AbortController')
    }
  }
  class GuardedChannel extends MessageChannel {
    constructor() {
      super()
      assertRequest('MessageChannel')
    }
  }
  const scope = vm.createContext({
    AbortSignal,
    Blob,
    Buffer,
    DOMException,
    Event,
    EventTarget,
    Headers,
    ReadableStream,
    Request,
    Response,
    TextDecoder,
    TextEncoder,
    TransformStream,
    URL,
    URLSearchParams,
    atob,
    btoa,
    clearInterval,
    clearTimeout,
    console,
    performance,
    queueMicrotask,
    structuredClone,
    AbortController: GuardedController,
    MessageChannel: GuardedChannel,
    crypto: {
      subtle: crypto.subtle,
      randomUUID: guarded('randomUUID', () => crypto.randomUUID()),
      getRandomValues: guarded('getRandomValues', (array: Uint8Array<ArrayBuffer>) =>
        crypto.getRandomValues(array),
      ),
    },
    fetch: guarded('fetch', fetch),
    setTimeout: guarded('setTimeout', setTimeout),
    setInterval: guarded('setInterval', setInterval),
  })
  return {
    load(code) {
      isLoading = true
      try {
        return vm.runInContext(`${code}; script`, scope)
      } finally {
        isLoading = false
      }
    },
  }
}

test('the scope of a worker forbids what it says', () => {
  for (const begun of ['new AbortController()', 'setTimeout(() => 1, 1)', 'crypto.randomUUID()'])
    expect(() => workerScope().load(`const script = ${begun}`)).toThrow('is not allowed in the global scope')
})

test('a script with troupe/a2a loads, and answers clients', async () => {
  const script = workerScope().load(await bundle(entry)) as {
    serve(model: object): (request: Request) => Promise<Response>
  }
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
  const generate = async () => ({ text: 'Snow falls.', toolCalls: [], finishReason: 'stop', usage })
  const fetchAgent = script.serve({ provider: 'test', modelId: 'poet', generate })
  const ask = async (method: string, message: object) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { message } })
    const headers = { 'content-type': 'application/json' }
    return (await fetchAgent(new Request('http://localhost/a2a', { method: 'POST', body, headers }))).text()
  }
  const present = { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'A haiku.' }] }
  const former = {
    kind: 'message',
    messageId: 'm2',
    role: 'user',
    parts: [{ kind: 'text', text: 'A haiku.' }],
  }
  for (const answer of [await ask('SendStreamingMessage', present), await ask('message/send', former)])
    expect(answer).toContain('Snow falls.')
})
