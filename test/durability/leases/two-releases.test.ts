/** Behaviour 63 with real processes: workers of two releases on one store, whose tables the newer one has changed. */
import { join } from 'node:path'
import type { Store } from 'troupe'
import { postgresStore } from 'troupe/postgres'
import { sqliteStore } from 'troupe/sqlite'
import { expect, test } from 'vitest'
import { Forked } from '../../support/processes/forked.ts'
import { PostgresServer, postgresPrograms } from '../../support/postgres/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import type { ReleaseNews, ReleaseProcessOptions } from './release-process.ts'

const patiently = { timeout: 120_000, interval: 50 }
const nextRelease = [
  '--conditions=troupe-source',
  '--import',
  join(import.meta.dirname, '../../support/next-release/register.ts'),
]

class Worker extends Forked<ReleaseNews> {
  constructor(options: Omit<ReleaseProcessOptions, 'leaseTtl'>, flags: readonly string[] = []) {
    const all: ReleaseProcessOptions = { ...options, leaseTtl: 2_000 }
    super(join(import.meta.dirname, 'release-process.ts'), [JSON.stringify(all)], flags)
  }

  /** A run that it starts, when the run asks. */
  async starts(): Promise<Extract<ReleaseNews, { type: 'asks' }>> {
    const asked = this.news.filter(({ type }) => type === 'asks').length
    this.tell({ type: 'start' })
    await expect.poll(() => this.news.filter(({ type }) => type === 'asks').length, patiently).toBe(asked + 1)
    const last = this.news.findLast((news) => news.type === 'asks')
    if (last === undefined) throw new Error('The run does not ask.')
    return last
  }

  async approves({ runId, toolCallId }: { runId: string; toolCallId: string }): Promise<string> {
    const before = new Set<ReleaseNews>(this.news)
    this.tell({ type: 'approve', runId, toolCallId })
    return (await this.hears('approved', (news) => !before.has(news))).code
  }

  async recovers() {
    this.tell({ type: 'recover' })
    return this.hears('recovered')
  }
}

/** Returns what the workers have written to stderr about the store, and the runs that have not ended. */
async function deploy(store: ReleaseProcessOptions['store'], reader: Store): Promise<unknown[]> {
  await using old = new Worker({ name: 'old', store })
  await old.hears('ready')
  const [first, second] = [await old.starts(), await old.starts()]
  await using next = new Worker({ name: 'next', store }, nextRelease)
  await next.hears('ready')
  const third = await next.starts()
  const protocolOf = async ({ runId }: { runId: string }): Promise<unknown> => {
    const [started] = (await reader.read(runId)) ?? []
    return started?.type === 'run.started' ? started.protocol : undefined
  }
  expect(await protocolOf(third)).toBe(Number(await protocolOf(first)) + 1)

  for (const worker of [old, next]) expect(await worker.recovers()).toMatchObject({ runs: [], refused: [] })
  expect(await next.approves(first)).toBe('taken')
  expect(await old.approves(third)).toBe('taken')
  expect(await old.hears('ended', ({ runId }) => runId === first.runId)).toMatchObject({
    text: 'Done by old.',
  })
  expect(await next.hears('ended', ({ runId }) => runId === third.runId)).toMatchObject({
    text: 'Done by next.',
  })

  // The last old worker dies. Its run waits, with its answer, for another one of its release.
  await old.kill()
  expect(await next.approves(second)).toBe('taken')
  expect(await next.approves(second)).toBe('SIGNAL_ALREADY_ANSWERED')
  await using last = new Worker({ name: 'last', store })
  await last.hears('ready')
  await last.recovers()
  const endOf = async (): Promise<unknown> =>
    (await reader.read(second.runId))?.find(({ type }) => type === 'run.settled')
  await expect.poll(endOf, patiently).toMatchObject({ outcome: 'completed', text: 'Done by last.' })
  const failures = [old, next, last].filter(({ stderr }) => stderr.includes('STORE_'))
  return [
    ...failures.map(({ stderr }) => stderr),
    ...(await reader.list('runs', { status: 'unfinished' })).items,
  ]
}

test('on one SQLite file each release finishes its own runs, and takes answers for those of the other', async () => {
  using folder = temporaryFolder()
  const file = folder.file('runs.db')
  const reader = sqliteStore(file)
  expect(await deploy({ file }, reader)).toEqual([])
  await reader.close()
})

test.runIf(postgresPrograms() !== undefined)(
  'on one Postgres each release finishes its own runs, and takes answers for those of the other',
  async () => {
    await using server = await PostgresServer.start()
    const store = { connectionString: server.connectionString, schema: 'releases' }
    const reader = postgresStore(store)
    expect(await deploy(store, reader)).toEqual([])
    await reader.close()
  },
)
