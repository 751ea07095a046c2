/** Several processes on one file, and what a process leaves when it ends. */
import { describe, expect, test } from 'vitest'
import type { Lease } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { firstLease } from '../../src/runtime/journal/store.ts'
import { startTogether, waitAtBarrier } from '../support/barrier.ts'
import { appends, fired, started } from '../support/journal-entries.ts'
import { runProgram } from '../support/processes/run-program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const processes = 4

/** Milliseconds that a process waits for the others: on a loaded machine they hold the file for long. */
const busyTimeout = 300_000

describe('several processes', () => {
  test.each([false, true])(
    'of those that claim a run, exactly one wins, with a worker: %s',
    async (worker) => {
      using folder = temporaryFolder()
      const file = folder.file('runs.db')
      const runIds = Array.from({ length: 100 }, (_, index) => `run-${index}`)
      const store = sqliteStore(file)
      await store.append(
        runIds.flatMap((runId) => appends(runId, [started(runId)], firstLease(runId, 'dead', 10))),
      )
      const program = `
      import { sqliteStore } from 'troupe/sqlite'
      const store = sqliteStore(process.argv[1] + '/runs.db', { worker: ${worker}, busyTimeout: ${busyTimeout} })
      await store.list('runs', {})
      ${waitAtBarrier}
      const won = []
      for (const { runId } of (await store.list('runs', {})).items) {
        const lease = await store.claim(runId, String(process.pid), 10, Number.MAX_SAFE_INTEGER)
        if (lease) won.push(lease)
      }
      await store.close()
      console.log(JSON.stringify(won))`
      const ends = Array.from({ length: processes }, () => runProgram(program, { args: [folder.path] }))
      await startTogether(folder, processes)
      const ended = await Promise.all(ends)
      expect(ended.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
        ended.map(() => ({ code: 0, stderr: '' })),
      )
      const won = ended.flatMap(({ stdout }) => JSON.parse(stdout) as Lease[])
      expect(won.map(({ runId }) => runId).toSorted()).toEqual(runIds.toSorted())
      expect(new Set(won.map(({ token }) => token))).toEqual(new Set([2]))
      await store.close()
    },
  )

  test('of those that begin a thread, exactly one resource has it', async () => {
    using folder = temporaryFolder()
    const program = `
      import { sqliteStore } from 'troupe/sqlite'
      const store = sqliteStore(process.argv[1] + '/runs.db', { busyTimeout: ${busyTimeout} })
      const resourceId = 'user-' + process.pid
      ${waitAtBarrier}
      const won = []
      for (let index = 0; index < 100; index++) {
        const threadId = 'thread-' + index
        const taken = await store.memory.messages(threadId, { runId: resourceId + index, resourceId }).then(
          () => true, (error) => { if (error.code === 'THREAD_OF_ANOTHER_RESOURCE') return false; throw error })
        const message = { id: '1', role: 'user', content: resourceId, at: 1 }
        const saved = await store.memory.save(threadId, [message], resourceId).then(() => true, () => false)
        if (taken !== saved) throw new Error('claimed ' + taken + ', saved ' + saved)
        if (taken) won.push(threadId)
      }
      await store.close()
      console.log(JSON.stringify(won))`
    const ends = Array.from({ length: processes }, () => runProgram(program, { args: [folder.path] }))
    await startTogether(folder, processes)
    const ended = await Promise.all(ends)
    expect(ended.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
      ended.map(() => ({ code: 0, stderr: '' })),
    )
    const won = ended.flatMap(({ stdout }) => JSON.parse(stdout) as string[])
    expect(won.toSorted()).toEqual(Array.from({ length: 100 }, (_, index) => `thread-${index}`).toSorted())
  })

  test('may open and make a new file at the same moment', async () => {
    const program = `
      import { sqliteStore } from 'troupe/sqlite'
      ${waitAtBarrier}
      const store = sqliteStore(process.argv[1] + '/runs.db', { busyTimeout: ${busyTimeout} })
      await store.memory.save(String(process.pid), [{ id: '1', role: 'user', content: 'here', at: 1 }])
      await store.close()`
    for (let round = 0; round < 3; round++) {
      using folder = temporaryFolder()
      const ends = Array.from({ length: processes }, () => runProgram(program, { args: [folder.path] }))
      await startTogether(folder, processes)
      const none = { code: 0, signal: null, stdout: '', stderr: '' }
      expect(await Promise.all(ends)).toEqual(Array.from({ length: processes }, () => none))
      const store = sqliteStore(folder.file('runs.db'))
      expect(await store.memory.threads({})).toHaveLength(processes)
      await store.close()
    }
  })

  test('a run that another process has taken is lost to this one', async () => {
    using folder = temporaryFolder()
    const file = folder.file('runs.db')
    const store = sqliteStore(file)
    const lease = firstLease('a', 'me', 10)
    await store.append(appends('a', [started('a')], lease))
    const program = `
      import { sqliteStore } from 'troupe/sqlite'
      const store = sqliteStore(process.argv[1])
      const lease = await store.claim('a', 'other', 10, 1000)
      await store.append([{ runId: 'a', lease, entry: JSON.parse(process.argv[2]) }])
      await store.enqueueSignal('a', { type: 'cancel', reason: 'from there' })`
    const entry = JSON.stringify(fired(20))
    expect(await runProgram(program, { args: [file, entry] })).toMatchObject({ code: 0, stderr: '' })
    expect(store.append(appends('a', [fired(21)], lease))).toEqual({ lost: ['a'] })
    expect(await store.renew([{ ...lease, expiresAt: 99 }])).toEqual(['a'])
    expect(await store.read('a')).toEqual([started('a'), fired(20)])
    expect((await store.list('signals', { runIds: ['a'] })).items).toEqual([
      { id: expect.any(Number), runId: 'a', signal: { type: 'cancel', reason: 'from there' } },
    ])
    await store.close()
  })
})

describe('a process that does not close its store', () => {
  const begin = `
    import { sqliteStore } from 'troupe/sqlite'
    const [file, worker, entry] = process.argv.slice(1)
    const store = sqliteStore(file, { worker: worker === 'true' })
    const lease = { runId: 'a', owner: 'me', token: 1, expiresAt: 1 }
    const append = () => store.append([{ runId: 'a', lease, entry: JSON.parse(entry) }])`

  test.each([
    ['asked nothing', '', 0],
    ['waited for its append', 'await append()', 1],
    ['did not wait for its append', 'void append()', 1],
    ['waited, and went on for a while', 'await append(); await new Promise((r) => setTimeout(r, 50))', 1],
  ])('%s: it ends by itself, and what it asked for is kept', async (_what, then, entries) => {
    for (const worker of ['false', 'true']) {
      using folder = temporaryFolder()
      const file = folder.file('runs.db')
      const args = [file, worker, JSON.stringify(started('a'))]
      const ended = await runProgram(`${begin}\n${then}`, { args })
      expect(ended).toEqual({ code: 0, signal: null, stdout: '', stderr: '' })
      const store = sqliteStore(file)
      expect((await store.read('a')) ?? []).toHaveLength(entries)
      await store.close()
    }
  })
})
