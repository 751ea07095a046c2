/** The response of `nodeFetch` beside that of the platform: every way to read a body, one after the other. */
import { Agent } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { nodeFetch } from 'troupe/node-http'
import { startServer, type LocalServer } from './support/server.ts'

let server: LocalServer
const ours = nodeFetch()

beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server[Symbol.asyncDispose]())

type Way = (response: Response) => unknown

/** Ways to read a response; what they say of it is compared. */
const ways: Record<string, Way> = {
  text: (response) => response.text(),
  json: (response) => response.json(),
  bytes: async (response) => [...(await response.bytes())],
  arrayBuffer: async (response) => [...new Uint8Array(await response.arrayBuffer())],
  blob: async (response) => {
    const blob = await response.blob()
    return { type: blob.type, text: await blob.text() }
  },
  formData: async (response) => [...(await response.formData())],
  clone: async (response) => {
    const clone = response.clone()
    return { text: await clone.text(), url: clone.url, redirected: clone.redirected, used: clone.bodyUsed }
  },
  stream: async (response) => {
    if (response.body === null) return null
    return new Response(response.body).text()
  },
  'its stream, which is left': async (response) => response.body?.cancel(),
  nothing: () => undefined,
}

/** The ways, in twos: the second one reads a body that the first one may have used up. */
const pairs = Object.keys(ways).flatMap((first) =>
  Object.keys(ways).map((second) => [first, second] as const),
)

const paths = [
  '/echo',
  '/gzip',
  '/status/204',
  '/status/500',
  '/damaged',
  '/cut',
  '/pieces',
  '/form',
  '/mark',
]

async function seen(
  fetch: typeof globalThis.fetch,
  path: string,
  names: readonly string[],
): Promise<object[]> {
  const answered = fetch(`${server.url}${path}`)
  if (path === '/pieces') void answered.then(() => server.goOn())
  const response = await answered
  const all: object[] = []
  for (const name of names) {
    const way = ways[name] as Way
    const said = await (async () => way(response))().then(
      (value) => ({ value }),
      (error: unknown) => ({ error: error instanceof Error ? error.name : error }),
    )
    all.push({ name, ...said, used: response.bodyUsed, hasBody: response.body !== null })
  }
  return all
}

test.each(paths)('%s, read in each way and in each way again', async (path) => {
  for (const pair of pairs) {
    const [platform, own] = [await seen(fetch, path, pair), await seen(ours, path, pair)]
    expect({ pair, seen: own }).toEqual({ pair, seen: platform })
  }
})

test('two readers at once: the second one is refused', async () => {
  const response = await ours(`${server.url}/echo`)
  const [first, second] = [response.json(), response.text()]
  await expect(first).resolves.toMatchObject({ method: 'GET' })
  await expect(second).rejects.toThrow(TypeError)
})

test('a body that nobody reads leaves its connection to the next call', async () => {
  const httpAgent = new Agent({ keepAlive: true })
  const response = await nodeFetch({ httpAgent })(`${server.url}/port`)
  await expect.poll(() => Object.values(httpAgent.freeSockets).flat()).toHaveLength(1)
  expect(await response.text()).toBe('a short body')
  httpAgent.destroy()
})

test('more connections than an agent keeps by default are used again', async () => {
  const call = async (): Promise<string | null> => {
    const response = await ours(`${server.url}/port`)
    await response.text()
    return response.headers.get('x-port')
  }
  const ports = async (): Promise<Set<unknown>> =>
    new Set(await Promise.all(Array.from({ length: 300 }, call)))
  const first = await ports()
  expect(first.size).toBe(300)
  expect(await ports()).toEqual(first)
})
