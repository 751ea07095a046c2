/** The child process of the model server, and the clients for it that all contestants share. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { OpenAI } from 'openai'
import { nodeFetch } from 'troupe/node-http'

export interface ServerProcess {
  /** As the package comes, over the HTTP of the platform. */
  readonly client: OpenAI
  /** The same over `node:http`. */
  readonly nodeClient: OpenAI
  stop(): Promise<void>
}

/** `delay`: milliseconds that the model takes for a reply. */
export async function startModelServer(delay = 0): Promise<ServerProcess> {
  const child = fork(join(import.meta.dirname, '../model-server.ts'), [String(delay)], { execArgv: [] })
  const port = await Promise.race([
    once(child, 'message').then(([port]) => Number(port)),
    once(child, 'exit').then(([code]): never => {
      throw new Error(`The model server ended with ${code} before it listened.`)
    }),
  ])
  const options = { apiKey: 'bench', baseURL: `http://127.0.0.1:${port}/v1`, maxRetries: 0 }
  return {
    client: new OpenAI(options),
    nodeClient: new OpenAI({ ...options, fetch: nodeFetch() }),
    async stop() {
      const exited = once(child, 'exit')
      child.disconnect()
      await exited
    },
  }
}
