/**
 * Streams whose requests are collected as garbage before their readers leave: how many streams end when their requests are
 * aborted is printed. It needs `--expose-gc`.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createAgent, createTroupe, type ChatModel } from 'troupe'
import { createHandler } from 'troupe/http'

const model: ChatModel = {
  provider: 'test',
  modelId: 'silent',
  generate: () => Promise.withResolvers<never>().promise,
}
const agent = createAgent({ id: 'a', model })
const troupe = createTroupe({ agents: [agent] })
const handler = createHandler(troupe, { authorize: 'everybody', agents: [agent], heartbeat: 600_000 })
const { id } = await troupe.start(agent, 'Go')

/** Keeps the reader and the controller, as a server does that has made the request of them. */
async function open(path: string) {
  const controller = new AbortController()
  const url = `http://server.test${path}`
  const { body } = await handler(new Request(url, { signal: controller.signal }))
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  await reader.read()
  return { controller, reader }
}

const paths = Array.from({ length: 20 }, (_, index) =>
  index % 2 === 0 ? `/runs/${id}/events` : '/awaiting/events',
)
const streams = await Promise.all(paths.map(open))
for (let round = 0; round < 5; round++) {
  globalThis.gc?.()
  await sleep(5)
}
const ends = streams.map(async ({ controller, reader }) => {
  controller.abort()
  for (let next = await reader.read(); !next.done;) next = await reader.read()
})
const late = sleep(5_000, 'late')
const ended = await Promise.all(ends.map((end) => Promise.race([end, late])))
console.log(ended.filter((one) => one !== 'late').length)
process.exit(0)
