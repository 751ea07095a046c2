/** A Postgres server of its own for a test: on loopback, with its data in a temporary folder, stopped at the end. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, globSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { temporaryFolder, type TemporaryFolder } from '../temporary-folder.ts'

/** How a server ends: its connections are closed, or it is killed with them, as by a loss of power. */
export type ServerEnd = 'fast' | 'immediate'

const signals: Readonly<Record<ServerEnd, NodeJS.Signals>> = { fast: 'SIGINT', immediate: 'SIGQUIT' }
const user = 'troupe'
/** Milliseconds for a start. */
const patience = 60_000

/** The folder of the server's programs; `undefined`: the machine has none. */
export function postgresPrograms(): string | undefined {
  const folders = [...globSync('/usr/lib/postgresql/*/bin').toSorted().toReversed(), ...pathFolders()]
  return folders.find((folder) => existsSync(join(folder, 'initdb')))
}

function pathFolders(): string[] {
  return (process.env['PATH'] ?? '').split(':').filter((folder) => folder !== '')
}

/** Postgres refuses to run as root: the user that its package makes runs it then. */
function owner(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const idOf = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}

export class PostgresServer implements AsyncDisposable {
  readonly #programs: string
  readonly #folder: TemporaryFolder
  readonly #owner = owner()
  #port = 0
  #child: ChildProcess | undefined
  #log = ''

  private constructor(programs: string, folder: TemporaryFolder) {
    this.#programs = programs
    this.#folder = folder
  }

  static async start(): Promise<PostgresServer> {
    const programs = postgresPrograms()
    if (programs === undefined) throw new Error('This machine has no Postgres: apt-get install postgresql')
    const folder = temporaryFolder()
    const server = new PostgresServer(programs, folder)
    try {
      server.#initialise()
      server.#port = await freePort()
      await server.up()
      return server
    } catch (error) {
      await server[Symbol.asyncDispose]()
      throw error
    }
  }

  get connectionString(): string {
    return `postgres://${user}@127.0.0.1:${this.#port}/postgres`
  }

  /** The folder of its data. */
  get data(): string {
    return this.#folder.file('data')
  }

  #initialise(): void {
    const { uid, gid } = this.#owner
    if (uid !== undefined && gid !== undefined) chownSync(this.#folder.path, uid, gid)
    else chmodSync(this.#folder.path, 0o700)
    const args = [
      '--pgdata',
      this.data,
      '--username',
      user,
      '--auth',
      'trust',
      '--encoding',
      'UTF8',
      '--no-sync',
    ]
    execFileSync(join(this.#programs, 'initdb'), args, {
      ...this.#owner,
      cwd: this.#folder.path,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
  }

  /** Starts the server, and resolves when it answers. It ends at once while processes of a former one still do. */
  async up(): Promise<void> {
    const deadline = performance.now() + patience
    let child = this.#spawn()
    while (!(await this.#answers())) {
      if (performance.now() > deadline) throw new Error(`Postgres has not started. ${this.#log}`)
      if (child.exitCode !== null) child = this.#spawn()
      await sleep(50)
    }
  }

  #spawn(): ChildProcess {
    const settings = [
      `port=${this.#port}`,
      'listen_addresses=127.0.0.1',
      `unix_socket_directories=${this.#folder.path}`,
      'max_connections=50',
    ]
    const child = spawn(
      join(this.#programs, 'postgres'),
      ['-D', this.data, ...settings.flatMap((setting) => ['-c', setting])],
      { ...this.#owner, cwd: this.#folder.path, stdio: ['ignore', 'ignore', 'pipe'] },
    )
    child.stderr
      .setEncoding('utf8')
      .on('data', (text: string) => (this.#log = (this.#log + text).slice(-10_000)))
    this.#child = child
    return child
  }

  async #answers(): Promise<boolean> {
    const client = new pg.Client({ connectionString: this.connectionString })
    client.on('error', () => undefined) // it may end while the client connects
    try {
      await client.connect()
      await client.query('SELECT 1')
      return true
    } catch {
      return false
    } finally {
      await client.end().catch(() => undefined)
    }
  }

  async down(end: ServerEnd): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child === undefined || child.exitCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signals[end])
    await ended
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.down('immediate')
    this.#folder[Symbol.dispose]()
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
