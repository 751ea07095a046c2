/** A worker is killed in the midst of a call: what it has reserved falls with its lease, and its run goes on within the limit. Behaviour 102. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createAgent, createTroupe } from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { expect, test } from 'vitest'
import { PostgresServer, postgresPrograms } from '../../support/postgres/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { leaseTtl, limits } from './tenant-limits.ts'
import { storeAt } from './tenant-store.ts'

interface Place extends AsyncDisposable {
  readonly place: string
}

async function onFile(): Promise<Place> {
  const folder = temporaryFolder()
  return { place: folder.file('runs.db'), [Symbol.asyncDispose]: async () => folder[Symbol.dispose]() }
}

async function onPostgres(): Promise<Place> {
  const server = await PostgresServer.start()
  return { place: server.connectionString, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

const opens: Readonly<Record<string, () => Promise<Place>>> =
  postgresPrograms() === undefined ? { onFile } : { onFile, onPostgres }

test.each(Object.entries(opens))(
  '%s: the only call that a tenant may make is made once more by another worker, and counted once',
  async (_, open) => {
    await using opened = await open()
    const { place } = opened
    const program = join(import.meta.dirname, 'tenant-process.ts')
    const child = spawn(process.execPath, ['--conditions=troupe-source', program, place, 'r'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const closed = once(child, 'close')
    await once(child.stdout, 'data') // it calls
    child.kill('SIGKILL')
    await closed

    const agent = createAgent({
      id: 'clerk',
      instructions: 'Work.',
      model: scriptedModel([], { otherwise: 'Done.' }),
    })
    const store = storeAt(place)
    const troupe = createTroupe({ agents: [agent], store, tenants: { limits }, leaseTtl })
    const sum = async () => (await troupe.tenant('ann'))[0]
    await expect.poll(async () => (await sum())?.reserved.modelCalls, { timeout: 30_000 }).toBe(0)
    await expect
      .poll(
        () =>
          troupe.resume('r').then(
            ({ id }) => id,
            () => undefined,
          ),
        { timeout: 30_000 },
      )
      .toBe('r')
    const run = await troupe.resume('r')
    expect((await run.result).outcome).toBe('completed')
    expect(await sum()).toMatchObject({ used: { modelCalls: 1 }, reserved: { modelCalls: 0 } })
    const second = await troupe.start(agent, 'Go.', { resourceId: 'ann' })
    expect((await second.result).outcome).toBe('exhausted')
    await troupe.close()
    await store.close()
  },
)
