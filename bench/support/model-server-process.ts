/** The child process of the model server, and a client for it that all contestants share. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { OpenAI } from 'openai'

export interface ServerProcess {
  readonly client: OpenAI
  stop(): Promise<void>
}

export async function startModelServer(): Promise<ServerProcess> {
  const child = fork(join(import.meta.dirname, '../model-server.ts'), { execArgv: [] })
  const port = await Promise.race([
    once(child, 'message').then(([port]) => Number(port)),
    once(child, 'exit').then(([code]): never => {
      throw new Error(`The model server ended with ${code} before it listened.`)
    }),
  ])
  return {
    client: new OpenAI({ apiKey: 'bench', baseURL: `http://127.0.0.1:${port}/v1`, maxRetries: 0 }),
    async stop() {
      const exited = once(child, 'exit')
      child.disconnect()
      await exited
    },
  }
}
