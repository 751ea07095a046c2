/** The app of an example in a process of its own, which a test kills and starts again. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { createInterface } from 'node:readline'

const root = fileURLToPath(new URL('../../../..', import.meta.url))

export interface App extends AsyncDisposable {
  /** The address of its page. */
  readonly url: string
  /** SIGKILL: it has no time for anything any more. */
  kill(): Promise<void>
}

/** Settles when the app has printed the address of its page. Rejects when it ends before. */
export async function startApp(
  example: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<App> {
  const child = spawn(`${root}node_modules/.bin/node`, [`examples/${example}/main.ts`, ...args], {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  async function kill(): Promise<void> {
    child.kill('SIGKILL')
    await ended
  }
  for await (const line of createInterface({ input: child.stdout })) {
    const [, url] = /: open (http:\S+) in a browser/.exec(line) ?? []
    if (url === undefined) continue
    child.stdout.resume()
    return { url, kill, [Symbol.asyncDispose]: kill }
  }
  throw new Error(`examples/${example} has ended with ${child.exitCode} before it had a page.`)
}

/** A port for a server that is started again at the same address. */
export async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return String(port)
}
