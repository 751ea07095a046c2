/**
 * A Restate server for tests, benches and `npm run cluster`: on free loopback ports, with its data in a temporary folder, without telemetry, and always
 * stopped. The binary is started itself, and not the script that would start it: so that a signal reaches it.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)

function binary(): string {
  const name = `@restatedev/restate-server-${process.platform}-${process.arch}/package.json`
  const from = createRequire(require.resolve('@restatedev/restate-server/package.json'))
  return join(dirname(from.resolve(name)), 'bin/restate-server')
}

export class RestateServer implements AsyncDisposable {
  readonly ingress: string
  readonly admin: string
  readonly #env: NodeJS.ProcessEnv
  readonly #folder = mkdtempSync(join(tmpdir(), 'troupe-restate-'))
  #process: ChildProcess | undefined

  private constructor(ports: readonly number[]) {
    const [ingress, admin, node] = ports
    this.ingress = `http://127.0.0.1:${ingress}`
    this.admin = `http://127.0.0.1:${admin}`
    this.#env = {
      ...process.env,
      DO_NOT_TRACK: '1',
      RESTATE_DISABLE_TELEMETRY: 'true',
      RESTATE_BIND_IP: '127.0.0.1',
      RESTATE_ADVERTISED_HOST: '127.0.0.1',
      RESTATE_BIND_PORT: String(node),
      RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
      RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
      RESTATE_DEFAULT_NUM_PARTITIONS: '4',
      RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: '128MB',
      // It looks for a newer version of itself, and no setting keeps it from that: offline it would complain.
      RESTATE_LOG_FILTER: 'error,octocrab=off',
    }
  }

  static async start(): Promise<RestateServer> {
    const server = new RestateServer(await freePorts(3))
    try {
      await server.run()
    } catch (error) {
      await server.stop()
      throw error
    }
    return server
  }

  /** Starts it, also again after `kill`; resolves when it answers. */
  async run(): Promise<void> {
    const args = ['--no-logo', '--listen-mode', 'tcp', '--node-name', 'test', '--base-dir', this.#folder]
    const child = spawn(binary(), args, { env: this.#env, stdio: ['ignore', 'ignore', 'inherit'] })
    this.#process = child
    // A test that is killed takes its server along.
    const onExit = (): void => void child.kill('SIGKILL')
    process.once('exit', onExit)
    child.once('exit', () => process.removeListener('exit', onExit))
    await Promise.all([
      answers(`${this.admin}/health`, child),
      answers(`${this.ingress}/restate/health`, child),
    ])
  }

  /** Registers, or registers again, the worker at `port`. */
  async register(port: number): Promise<string> {
    const response = await fetch(`${this.admin}/deployments`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ uri: `http://127.0.0.1:${port}`, force: true }),
    })
    const body = await response.text()
    if (!response.ok) throw new Error(`The worker at ${port} was not registered: ${body}`)
    return (JSON.parse(body) as { readonly id: string }).id
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#process
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    await gone
  }

  async stop(): Promise<void> {
    await this.kill()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }
}

/** Ports that nobody has right now; all are taken at once, so that none is given twice. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer())
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve, reject) => {
          server.once('error', reject)
          server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
        }),
    ),
  )
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}

async function answers(url: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null && child.signalCode === null) {
    try {
      if ((await fetch(url)).ok) return
    } catch {
      // it does not listen yet
    }
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new Error('The Restate server ended before it answered.')
}
