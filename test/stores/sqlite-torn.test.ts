/** A process is killed and its write-ahead log is cut or damaged: what is left is whole transactions, or is refused. */
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { memoryStore, StoreError, type JournalEntry, type WholeStore } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { appends, fired, started } from '../support/journal-entries.ts'
import { runProgram } from '../support/processes/run-program.ts'
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { snapshotOf, transactionCount, writeTransaction } from './transactions.ts'

const headerSize = 32
const frameHeaderSize = 24

/** The write-ahead log of a process that was killed, and the positions at which its frames end. */
interface Log {
  readonly bytes: Buffer
  readonly frames: readonly { readonly start: number; readonly end: number; readonly isCommit: boolean }[]
}

function logOf(file: string): Log {
  const bytes = readFileSync(`${file}-wal`)
  const frameSize = frameHeaderSize + bytes.readUInt32BE(8)
  const salt = bytes.subarray(16, 24)
  const all = Array.from({ length: (bytes.length - headerSize) / frameSize }, (_, index) => {
    const start = headerSize + index * frameSize
    const isOfLog = bytes.subarray(start + 8, start + 16).equals(salt)
    return { start, end: start + frameSize, isCommit: bytes.readUInt32BE(start + 4) !== 0, isOfLog }
  })
  // Behind them are frames that went into the database before.
  const frames = all.slice(0, all.findLastIndex(({ isOfLog }) => isOfLog) + 1)
  return { bytes: bytes.subarray(0, frames.at(-1)?.end), frames }
}

/** Opens a copy of the database with this log. */
async function withLog<T>(
  folder: TemporaryFolder,
  file: string,
  log: Buffer,
  look: (store: WholeStore) => Promise<T>,
) {
  const copy = folder.file('copy.db')
  copyFileSync(file, copy)
  writeFileSync(`${copy}-wal`, log)
  rmSync(`${copy}-shm`, { force: true })
  const store = sqliteStore(copy, { synchronous: 'normal' })
  try {
    return await look(store)
  } finally {
    await store.close()
  }
}

/** Runs a program that writes to `file` and then kills itself. */
async function killedAfter(program: string, file: string): Promise<void> {
  const kill = `process.kill(process.pid, 'SIGKILL')`
  const ended = await runProgram(`${program}\n${kill}`, { args: [file] })
  expect(ended).toEqual({ code: null, signal: 'SIGKILL', stdout: '', stderr: '' })
}

test('a log that is cut, or damaged, at any frame leaves exactly the transactions before', async () => {
  using folder = temporaryFolder()
  const file = folder.file('runs.db')
  await killedAfter(
    `import { sqliteStore } from 'troupe/sqlite'
     import { transactionCount, writeTransaction } from './test/stores/transactions.ts'
     const store = sqliteStore(process.argv[1])
     for (let number = 1; number <= transactionCount; number++) await writeTransaction(store, number)`,
    file,
  )

  const memory = memoryStore()
  const expected = [await snapshotOf(memory)]
  for (let number = 1; number <= transactionCount; number++) {
    await writeTransaction(memory, number)
    expected.push(await snapshotOf(memory))
  }

  const { bytes, frames } = logOf(file)
  const commits = frames.filter(({ isCommit }) => isCommit).length
  const ofSchema = commits - transactionCount
  const seen = new Set<number>()
  const check = async (log: Buffer, committed: number): Promise<void> => {
    const transactions = Math.max(0, committed - ofSchema)
    seen.add(transactions)
    expect(await withLog(folder, file, log, snapshotOf)).toEqual(expected[transactions])
  }

  const empty = withLog(folder, file, bytes.subarray(0, 0), snapshotOf)
  await expect(empty).rejects.toMatchObject({ code: 'STORE_CORRUPT' }) // as a file that was copied without it
  await check(bytes.subarray(0, headerSize - 7), 0)
  let committed = 0
  for (const { start, end, isCommit } of frames) {
    await check(bytes.subarray(0, start), committed)
    await check(bytes.subarray(0, start + 11), committed)
    await check(bytes.subarray(0, start + frameHeaderSize), committed)
    await check(bytes.subarray(0, start + Math.floor((end - start) / 2)), committed)
    await check(bytes.subarray(0, end - 1), committed)
    const damaged = Buffer.from(bytes)
    damaged.writeUInt8(damaged.readUInt8(start + 1_000) ^ 1, start + 1_000)
    await check(damaged, committed)
    if (isCommit) committed++
  }
  await check(bytes, committed)
  expect(frames.length).toBeGreaterThan(3 * transactionCount)
  expect([...seen].toSorted((x, y) => x - y)).toEqual(expected.map((_, index) => index))
})

/** Runs of the second test, and how each of its transactions extends two of them. */
const runIds = Array.from({ length: 300 }, (_, index) => `run-${index}`)
const extended = (number: number): string[] =>
  [number % 300, (number * 7 + 3) % 300].map((index) => `run-${index}`)

test('a log that is cut after it was copied into the database gives each run whole transactions, or is refused', async () => {
  using folder = temporaryFolder()
  const file = folder.file('runs.db')
  // It ends right after the second time that SQLite has copied a log into the database: the log is all there still.
  await killedAfter(
    `import { statSync } from 'node:fs'
     import { sqliteStore } from 'troupe/sqlite'
     import { appends, fired, started } from './test/support/journal-entries.ts'
     const [file] = process.argv.slice(1)
     const store = sqliteStore(file, { synchronous: 'normal' })
     await store.append(Array.from({ length: 300 }, (_, index) => appends('run-' + index, [started('run-' + index)])).flat())
     const sizes = new Set([statSync(file).size])
     for (let number = 1; sizes.size < 3; number++) {
       const runIds = [number % 300, (number * 7 + 3) % 300].map((index) => 'run-' + index)
       await store.append(runIds.flatMap((runId) => appends(runId, [fired(number, (number % 5) * 100)])))
       sizes.add(statSync(file).size)
     }`,
    file,
  )

  const { bytes, frames } = logOf(file)
  const readAll = async (store: WholeStore): Promise<Map<string, readonly JournalEntry[] | StoreError>> => {
    const journals = new Map<string, readonly JournalEntry[] | StoreError>()
    for (const runId of runIds) {
      journals.set(runId, await store.read(runId).then((journal) => journal ?? [], refusal))
    }
    return journals
  }
  const whole = await withLog(folder, file, bytes, readAll)
  const count = [...whole.values()].flat().length
  const reference = memoryStore()
  await reference.append(runIds.flatMap((runId) => appends(runId, [started(runId)])))
  for (let number = 1; number <= (count - runIds.length) / 2; number++) {
    const entry = fired(number, (number % 5) * 100)
    await reference.append(extended(number).flatMap((runId) => appends(runId, [entry])))
  }
  expect(whole).toEqual(await readAll(reference))

  let prefixes = 0
  for (const { start } of frames.filter((_, index) => index % 29 === 0)) {
    for (const cut of [start, start + 2_000]) {
      const journals = await withLog(folder, file, bytes.subarray(0, cut), readAll).catch(
        (error: unknown) => {
          refusal(error)
          return new Map<string, StoreError>()
        },
      )
      for (const [runId, journal] of journals) {
        if (journal instanceof StoreError) continue
        expect((whole.get(runId) as readonly JournalEntry[]).slice(0, journal.length)).toEqual(journal)
        prefixes++
      }
    }
  }
  expect(prefixes).toBeGreaterThan(runIds.length)
})

/** Nothing but damage may be what is wrong. */
function refusal(error: unknown): StoreError {
  expect(error).toBeInstanceOf(StoreError)
  expect(error).toMatchObject({ code: 'STORE_CORRUPT' })
  return error as StoreError
}
