/**
 * Readers of runs over HTTP, in a process of their own: `readers-process.ts <url> <readers> <run ids>`. Each has a connection.
 * Prints `connected` when all have their first event, and at the end the number of frames that have come in.
 */
import { Agent, get } from 'node:http'
import { once } from 'node:events'

const [url = '', count = '', ids = ''] = process.argv.slice(2)
const runIds = ids.split(',')
const agent = new Agent({ maxSockets: Infinity })
let frames = 0
let connected = 0

async function read(runId = ''): Promise<void> {
  const request = get(`${url}/runs/${runId}/events`, { agent })
  const [response] = await once(request, 'response')
  let isConnected = false
  for await (const bytes of response as AsyncIterable<Buffer>) {
    frames += framesIn(bytes)
    if (isConnected) continue
    isConnected = true
    connected++
    if (connected === Number(count)) console.log('connected')
  }
}

/** A frame ends with an empty line. */
function framesIn(bytes: Buffer): number {
  let found = 0
  for (let at = bytes.indexOf('\n\n'); at !== -1; at = bytes.indexOf('\n\n', at + 2)) found++
  return found
}

const reading: Promise<void>[] = []
for (let reader = 0; reader < Number(count); reader++) {
  reading.push(read(runIds[reader % runIds.length]))
  if (reader % 50 === 49) await new Promise((resolve) => setTimeout(resolve, 5)) // the backlog of the server is bounded
}
await Promise.all(reading)
console.log(frames)
agent.destroy()
