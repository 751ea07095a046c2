/** `troupe inspect`, as a person starts it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createTroupe, type Store } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { recordRun } from 'troupe/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { help, readCommand } from '../../../src/inspector/cli/command.ts'
import { CommandSources } from '../../../src/inspector/cli/command-sources.ts'
import { runCommand } from '../../../src/inspector/cli/run-command.ts'
import type { StreamMessage } from '../../../src/inspector/wire/routes.ts'
import { PostgresServer, postgresPrograms } from '../../support/postgres/server.ts'
import { sealed } from '../../support/sealing.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { Client } from '../support/client.ts'
import { office } from '../support/office.ts'

const root = join(import.meta.dirname, '../../..')
const agentsModule = join(import.meta.dirname, 'agents.ts')

/** Runs the command until it has printed its address, calls `then` with that, and ends it. */
async function inspect(args: readonly string[], then?: (url: string) => Promise<void>) {
  const [printed, errors]: [string[], string[]] = [[], []]
  const code = await runCommand(args, {
    print: (text) => void printed.push(text),
    printError: (text) => void errors.push(text),
    interrupted: async () => then?.(/http\S+/.exec(printed.join(''))?.[0] ?? ''),
  })
  return { code, printed: printed.join(''), errors: errors.join('') }
}

/** As `inspect`, in a process of its own, which a signal ends. */
async function program(args: readonly string[], then: (url: string) => Promise<void>) {
  const child = spawn(process.execPath, ['dist/troupe.js', ...args], { cwd: root })
  const exited = once(child, 'exit')
  let [printed, errors] = ['', '']
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  try {
    for await (const text of child.stdout.setEncoding('utf8')) {
      printed += text as string
      if (printed.includes('Ctrl+C')) break
    }
    await then(/http\S+/.exec(printed)?.[0] ?? '')
  } finally {
    child.kill('SIGINT')
  }
  const [code] = (await exited) as [number | null]
  return { code, errors }
}

async function runsOf(url: string) {
  const { origin, hash } = new URL(url)
  const headers = { authorization: `Bearer ${new URLSearchParams(hash.slice(1)).get('t')}` }
  const response = await fetch(`${origin}/api/runs`, { headers })
  return ((await response.json()) as { items: { runId: string; status: string; outcome?: string }[] }).items
}

async function written(file: string, store: Store = sqliteStore(file)) {
  const agent = office()
  const troupe = createTroupe({ agents: [agent], store })
  const run = await troupe.start(agent, 'Pay')
  await run.whenIdle
  const text = recordRun(await troupe.journal(run.id))
  await troupe.close()
  return { runId: run.id, text }
}

test('the program serves a store, takes no run of it, and ends by a signal', async () => {
  using folder = temporaryFolder()
  const file = folder.file('runs.db')
  const { runId } = await written(file)
  const ended = await program(['inspect', file, '--agents', agentsModule], async (url) => {
    expect((await runsOf(url)).map((run) => run.runId)).toEqual([runId])
    const store = sqliteStore(file)
    expect(await store.claim(runId, 'another', Date.now(), Date.now() + 1)).toBeDefined()
    await store.close()
  })
  expect(ended).toEqual({ code: 0, errors: '' })
})

describe('a run of another process', () => {
  let server: PostgresServer | undefined
  beforeAll(async () => {
    if (postgresPrograms() !== undefined) server = await PostgresServer.start()
  })
  afterAll(async () => server?.[Symbol.asyncDispose]())

  /** Starts the process, follows its run on the page, and approves its call there. */
  async function followed(
    address: string,
    start: typeof program,
  ): Promise<{ readonly outcome: string; readonly messages: StreamMessage[] }> {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'other-process.ts'), address], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const told = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const messages: StreamMessage[] = []
    try {
      const runId: string = (await told.next()).value ?? ''
      const { code, errors } = await start(['inspect', address, '--agents', agentsModule], async (url) => {
        const client = Client.at(url)
        expect((await runsOf(url)).map((run) => run.runId)).toEqual([runId])
        let isAnswered = false
        for await (const message of client.stream(runId)) {
          messages.push(message)
          const { awaiting } =
            message.type === 'run' || message.type === 'summary' ? message.run : { awaiting: [] }
          const [question] = awaiting
          if (question === undefined || isAnswered) continue
          isAnswered = true
          const { toolCallId } = question
          const answer = await client.post(`/runs/${runId}/signal`, {
            type: 'approve',
            toolCallId,
            by: 'Ada',
          })
          expect(answer.status).toBe(204)
        }
      })
      expect({ code, errors }).toEqual({ code: 0, errors: '' })
      return { outcome: (await told.next()).value ?? '', messages }
    } finally {
      child.kill()
    }
  }

  function expectWhole({ outcome, messages }: Awaited<ReturnType<typeof followed>>): void {
    expect(outcome).toBe('completed')
    expect(messages.at(-1)).toEqual({ type: 'end' })
    const rows = messages.flatMap((message) => (message.type === 'rows' ? message.rows : []))
    expect(rows.map(({ line }) => line)).toContain('pay approved by Ada')
    expect(rows.at(-1)).toMatchObject({ type: 'run.settled', line: 'completed: Done.' })
    expect(rows.flatMap(({ transitions }) => transitions).length).toBeGreaterThan(10)
  }

  test('is followed and answered through a SQLite file', async () => {
    using folder = temporaryFolder()
    expectWhole(await followed(folder.file('runs.db'), inspect))
  })

  test.runIf(postgresPrograms() !== undefined)(
    'is followed and answered through a Postgres server, by the program itself',
    async () => {
      expectWhole(await followed(server?.connectionString ?? '', program))
    },
  )
})

test('recordings are shown side by side', async () => {
  using folder = temporaryFolder()
  const [one, two] = [await written(folder.file('one.db')), await written(folder.file('two.db'))]
  const files = [one, two].map(({ runId, text }) => {
    const file = folder.file(`${runId}.jsonl`)
    writeFileSync(file, text)
    return file
  })
  let shown: string[] = []
  const { code, printed } = await inspect(['inspect', ...files], async (url) => {
    shown = (await runsOf(url)).map(({ runId }) => runId)
  })
  expect(code).toBe(0)
  expect(shown.toSorted()).toEqual([one.runId, two.runId].toSorted())
  expect(printed).toContain('Without --agents')
})

describe('an error says what to do', () => {
  test.each([
    [
      ['look'],
      'There is no command "look". Known: inspect, record, evaluate, example, runs, show, why, follow, answer, fork, schedules.',
    ],
    [['inspect'], 'name a store or a recording'],
    [['inspect', 'a.db', '--port', 'x'], '--port must be a number'],
    [['inspect', 'a.db', '--prot', '1'], 'there is no option "prot"'],
    [['inspect', '/none/runs.db'], '"/none/runs.db" cannot be read'],
    [['inspect', join(root, 'package.json')], 'line 1 is no entry of a journal'],
    [['inspect', 'a.db', '--agents', '/none/agents.ts'], '"/none/agents.ts" cannot be loaded'],
    [['inspect', 'a.db', '--agents', join(root, 'src/errors.ts')], 'exports no agent'],
  ])('%j', async (args, message) => {
    const { code, errors, printed } = await inspect(args)
    expect({ code, printed }).toEqual({ code: 1, printed: '' })
    expect(errors).toContain(message)
  })
})

test('a port that is taken, and production, are told', async () => {
  using folder = temporaryFolder()
  const { runId, text } = await written(folder.file('one.db'))
  const file = folder.file('one.jsonl')
  writeFileSync(file, text)
  await inspect(['inspect', file], async (url) => {
    const { port } = new URL(url)
    const { code, errors, printed } = await inspect(['inspect', file, '--port', port])
    expect({ code, printed }).toEqual({ code: 1, printed: '' })
    expect(errors).toContain(`cannot be served on port ${port}`)
    expect((await runsOf(url)).map((run) => run.runId)).toEqual([runId])
  })
  vi.stubEnv('NODE_ENV', 'production')
  const refused = await inspect(['inspect', file])
  vi.unstubAllEnvs()
  expect(refused).toMatchObject({ code: 1, printed: '' })
  expect(refused.errors).toContain('--allow-in-production')
})

test('a database that does not answer is told, and its page waits for it', async () => {
  const told = Promise.withResolvers<string>()
  const printed: string[] = []
  const code = await runCommand(['inspect', 'postgres://nobody@127.0.0.1:1/none'], {
    print: (text) => void printed.push(text),
    printError: told.resolve,
    async interrupted() {
      const url = /http:\S+/.exec(printed.join(''))?.[0] ?? ''
      // At once: the store tries for ten seconds for each.
      const [{ status, text }] = await Promise.all([Client.at(url).ask('/runs'), told.promise])
      expect([status, text]).toEqual([503, expect.stringContaining('STORE')])
    },
  })
  expect(code).toBe(0)
  expect(await told.promise).toMatch(/^The store cannot be read at present: .*\nThe page tries again\.\n$/)
})

test('help is printed where it is asked for, and where nothing is', async () => {
  for (const args of [[], ['--help'], ['inspect', '-h']])
    expect(await inspect(args)).toEqual({ code: 0, printed: help, errors: '' })
  expect(readCommand(['inspect', 'a', '--agents', 'x', '--agents', 'y', '--port', '8'])).toEqual({
    sources: ['a'],
    agents: ['x', 'y'],
    port: 8,
    allowInProduction: false,
  })
})

test('agents are found among all exports, alone and in lists', async () => {
  expect((await new CommandSources('inspect').agents([agentsModule])).map(({ id }) => id).toSorted()).toEqual(
    ['boss', 'other'],
  )
})

describe('--sealed', () => {
  const module = join(import.meta.dirname, 'sealing.ts')

  test('opens a store that is sealed', async () => {
    using folder = temporaryFolder()
    const file = folder.file('runs.db')
    const { runId } = await written(file, sealed(sqliteStore(file)))
    const entries = async (url: string): Promise<string> => {
      const { origin, hash } = new URL(url)
      const headers = { authorization: `Bearer ${new URLSearchParams(hash.slice(1)).get('t')}` }
      const response = await fetch(`${origin}/api/runs/${runId}/recording`, { headers })
      return response.text()
    }
    const shown: string[] = []
    const args = ['inspect', file, '--agents', agentsModule]
    const seen = async (url: string): Promise<void> => void shown.push(await entries(url))
    expect(await inspect([...args, '--sealed', module], seen)).toMatchObject({ code: 0, errors: '' })
    expect(await inspect(args, seen)).toMatchObject({ code: 0 })
    expect(shown[0]).toContain('"run.started"')
    expect(shown[0]).toContain('"Pay"')
    expect(shown[1]).not.toContain('Pay')
  })

  test('refuses a module without "sealing", one that is not there, and recordings', async () => {
    using folder = temporaryFolder()
    const file = folder.file('runs.db')
    const { text } = await written(file)
    const recording = folder.file('run.jsonl')
    writeFileSync(recording, text)
    const refused = async (source: string, path: string) =>
      (await inspect(['inspect', source, '--sealed', path])).errors
    expect(await refused(file, agentsModule)).toContain('exports no "sealing"')
    expect(await refused(file, 'nowhere.ts')).toContain('--sealed: "nowhere.ts" cannot be loaded')
    expect(await refused(recording, module)).toContain('no recording is sealed')
  })
})
