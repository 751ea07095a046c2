/** Runs `troupe inspect`: serves the page until it is stopped. */
import { type AnyAgent, ConfigurationError, type Store, TroupeError } from '../../index.ts'
import { toErrorData } from '../../kit/index.ts'
import { resolve, basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import { open, readFile } from 'node:fs/promises'
import { inspector } from '../inspector.ts'
import { help, readCommand } from './command.ts'
import { runExample } from './example-command.ts'
import { inTerminal } from './in-terminal.ts'
import { readTerminalCommand, terminalCommands, type TerminalCommand } from './terminal-command.ts'
import { forkInTerminal } from './fork-command.ts'
import { schedulesInTerminal } from './schedules-command.ts'
import { storyPage } from '../server/story-page.ts'
import type { Terminal } from './terminal.ts'
import { recordRunOf } from './record-command.ts'
import { recordedInspection, recordedStore } from '../recorded/recorded-store.ts'
import { inspectedStore, type InspectedStore } from '../stored/inspected-store.ts'

/** Resolves with the exit code. */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const [first, ...others] = args
    const name = terminalCommands.find((one) => one === first)
    if (name !== undefined && !others.includes('--help') && !others.includes('-h'))
      return await runInTerminal(readTerminalCommand(name, others), terminal)
    if (first === 'example' && others[0] !== '--help' && others[0] !== '-h')
      return await runExample(others, terminal.print)
    await run(args, terminal)
    return 0
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error
    terminal.printError(`${error.message}\nSee troupe --help.\n`)
    return 1
  }
}

async function run(args: readonly string[], { print, printError, interrupted }: Terminal): Promise<void> {
  if (args[0] === 'record' && !args.includes('--help') && !args.includes('-h')) {
    await recordRunOf(args.slice(1), print, {
      open: openSource,
      agents: loadAgents,
      sealing: sealingOf,
      load,
    })
    return
  }
  const command = readCommand(args)
  if (command === 'help') {
    print(help)
    return
  }
  const { sources, port, allowInProduction } = command
  const agents = await loadAgents(command.agents)
  const seal = await sealingOf(command.sealed)
  const story = await storyIn(sources)
  if (story !== undefined) {
    const page = await storyPage(story, port)
    print(`${sources.map(titleOf).join(', ')}: ${page.url}\nCtrl+C ends.\n`)
    await interrupted()
    await page.stop()
    return
  }
  const service = await openSource(sources, agents, seal)
  let isOver = false
  try {
    const view = inspector(service, { port, allowInProduction })
    print(`${service.inspection?.title ?? ''}: ${await view.url}\n`)
    if (agents.length === 0) print('Without --agents: journals alone, and not what their entries led to.\n')
    print('Ctrl+C ends.\n')
    service.runs({ limit: 1 }).catch((error: unknown) => {
      if (isOver) return
      printError(
        `The store cannot be read at present: ${toErrorData(error).message}\nThe page tries again.\n`,
      )
    })
    await interrupted()
    isOver = true
    await view.stop()
  } finally {
    await service.close()
  }
}

async function runInTerminal(command: TerminalCommand, terminal: Terminal): Promise<number> {
  const agents = await loadAgents(command.agents)
  const store = await openStore(command.source, await sealingOf(command.sealed))
  if (store === undefined) {
    throw new ConfigurationError(
      `${command.name}: "${command.source}" is no store. Recordings are for troupe inspect.`,
    )
  }
  try {
    if (command.name === 'fork') return await forkInTerminal(command, { store, agents }, terminal)
    if (command.name === 'schedules') return await schedulesInTerminal(command, { store, agents }, terminal)
    return await inTerminal(command, { store, agents }, terminal)
  } finally {
    await store.close?.()
  }
}

const storyHead = '{"type":"troupe-story"'

/** The text of a story file; `undefined` for any other source. Rejects with a `ConfigurationError` for a story beside others. */
async function storyIn(sources: readonly string[]): Promise<string | undefined> {
  const texts = await Promise.all(sources.map(async (path) => (await startsWith(path, storyHead)) && path))
  const [path] = texts.filter((text) => text !== false)
  if (path === undefined) return undefined
  if (sources.length > 1) throw new ConfigurationError('inspect: name one story, and nothing beside it.')
  return readFile(path, 'utf8')
}

const sqliteHeader = 'SQLite format 3\0'

/** Rejects with a `ConfigurationError`, and with a `StoreError` for a store that cannot be opened. */
async function openSource(
  sources: readonly string[],
  agents: readonly AnyAgent[],
  seal: Seal | undefined,
): Promise<InspectedStore> {
  const [first = '', ...others] = sources
  const title = titleOf(first)
  const store = await openStore(first, seal, others)
  if (store !== undefined) return inspectedStore({ store, agents, title })
  if (seal !== undefined)
    throw new ConfigurationError('inspect: --sealed is for a store: no recording is sealed.')
  const recordings = await Promise.all(sources.map((path) => readFile(path, 'utf8')))
  return inspectedStore({
    store: await recordedStore(recordings),
    inspection: recordedInspection,
    agents,
    title: sources.map(titleOf).join(', '),
  })
}

/** The store of a source; `undefined` for a file that is none. `others`: what is named beside it. */
async function openStore(
  source: string,
  seal: Seal | undefined,
  others: readonly string[] = [],
): Promise<Store | undefined> {
  const isDatabase = isAddress(source)
  if (!isDatabase && !(await startsWith(source, sqliteHeader))) return undefined
  if (others.length > 0) throw new ConfigurationError('inspect: name one store, or any number of recordings.')
  const store = isDatabase
    ? (await import('troupe/postgres').catch(missing('pg'))).postgresStore({ connectionString: source })
    : (await import('troupe/sqlite')).sqliteStore(source)
  return seal?.(store) ?? store
}

type Seal = (store: Store) => Store

/** Opens what a store has sealed. Rejects with a `ConfigurationError` for a module that exports no such options. */
async function sealingOf(path: string | undefined): Promise<Seal | undefined> {
  if (path === undefined) return undefined
  const sealing: unknown = Reflect.get(await load(path, '--sealed'), 'sealing')
  if (sealing === undefined)
    throw new ConfigurationError(`inspect: --sealed: "${path}" exports no "sealing".`)
  const { sealedStore } = await import('troupe/sealed')
  return (store) => sealedStore(store, sealing as Parameters<typeof sealedStore>[1])
}

function isAddress(source: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(source)
}

/** Whether a file begins so; the address of a database names none. Rejects with a `ConfigurationError` for an unreadable one. */
async function startsWith(path: string, head: string): Promise<boolean> {
  if (isAddress(path)) return false
  const unreadable = (error: unknown): never => {
    throw new ConfigurationError(`inspect: "${path}" cannot be read: ${toErrorData(error).message}`)
  }
  const file = await open(path).catch(unreadable)
  try {
    const { length } = head
    const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, 0).catch(unreadable)
    return new TextDecoder().decode(buffer.subarray(0, bytesRead)) === head
  } finally {
    await file.close()
  }
}

/** The name of a file; of a database its address without the password. */
function titleOf(source: string): string {
  const url = URL.parse(source)
  return url?.host === undefined || url.host === '' ? basename(source) : `${url.host}${url.pathname}`
}

function missing(name: string): (error: unknown) => never {
  return (cause) => {
    throw new ConfigurationError(
      `inspect: a Postgres database needs the package ${name}: npm install ${name}.`,
      {
        cause,
      },
    )
  }
}

/** Rejects with a `ConfigurationError` for a module that cannot be loaded, or that exports no agent. */
export async function loadAgents(paths: readonly string[]): Promise<readonly AnyAgent[]> {
  const found = new Set<AnyAgent>()
  for (const path of paths) {
    const exported = Object.values(await load(path, '--agents'))
    const agents = exported.flat().filter(isAgent)
    if (agents.length === 0) throw new ConfigurationError(`inspect: --agents: "${path}" exports no agent.`)
    for (const agent of agents) found.add(agent)
  }
  return [...found]
}

async function load(path: string, option: string): Promise<object> {
  try {
    return (await import(pathToFileURL(resolve(path)).href)) as object
  } catch (cause) {
    const { message } = toErrorData(cause)
    throw new ConfigurationError(`inspect: ${option}: "${path}" cannot be loaded: ${message}`, { cause })
  }
}

/** A module exports other things too. */
function isAgent(value: unknown): value is AnyAgent {
  if (value === null || typeof value !== 'object') return false
  return typeof Reflect.get(value, 'id') === 'string' && typeof Reflect.get(value, 'chart') === 'function'
}
