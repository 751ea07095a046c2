/** What may be wrong with a file is said when it is opened, and nothing in it is changed. */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { ConfigurationError, StoreError, type StoreErrorCode } from 'troupe'
import { sqliteStore, type SqliteStoreOptions } from 'troupe/sqlite'
import { SchemaSteps } from '../../src/kit/sql/schema-steps.ts'
import { Database } from '../../src/sqlite/connection/database.ts'
import { applicationId, migrate, schema, versionsOf } from '../../src/sqlite/connection/schema.ts'
import { appends, fired, started } from '../support/journal-entries.ts'
import { runProgram } from '../support/processes/run-program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** Opening throws at once, also where the database is to live in a thread. */
function expectRefusal(
  file: string,
  code: StoreErrorCode,
  text: string,
  more: SqliteStoreOptions = {},
): void {
  for (const worker of [false, true]) {
    let thrown: unknown
    try {
      sqliteStore(file, { ...more, worker })
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(StoreError)
    expect(thrown).toMatchObject({ name: 'StoreError', code })
    expect((thrown as StoreError).message).toContain(file)
    expect((thrown as StoreError).message).toContain(text)
  }
}

/** A closed store with one run of `entries` entries. */
async function written(file: string, entries = 1): Promise<void> {
  const store = sqliteStore(file, { synchronous: 'normal' })
  await store.append(
    appends('a', [started('a'), ...Array.from({ length: entries - 1 }, (_, i) => fired(i, 2_000))]),
  )
  await store.close()
}

test.each<[string, () => unknown, string]>([
  ['no path', () => sqliteStore(''), 'the path must name a file, not ""'],
  ['a path of memory', () => sqliteStore(':memory:'), 'use memoryStore()'],
  ['a path that is no text', () => sqliteStore(3 as never), 'the path must name a file, not 3'],
  ['a URL of a server', () => sqliteStore(new URL('https://db.example/runs.db')), 'a URL must name a file'],
  ['a file of another machine', () => sqliteStore('file://db.example/runs.db'), 'a URL must name a file'],
  ['an unknown option', () => sqliteStore('x', { sync: 1 } as never), 'there is no option "sync"'],
  [
    'a wrong synchronous',
    () => sqliteStore('x', { synchronous: 'off' as never }),
    "must be 'full' or 'normal', not \"off\"",
  ],
  ['a wrong timeout', () => sqliteStore('x', { busyTimeout: -1 }), 'busyTimeout must be a whole number'],
  ['a wrong worker', () => sqliteStore('x', { worker: 1 as never }), 'worker must be true or false, not 1'],
])('%s is a ConfigurationError', (_what, open, text) => {
  expect(open).toThrow(ConfigurationError)
  expect(open).toThrow(text)
})

test('a file URL is a file, as a URL and as a text, also of a backup', async () => {
  using folder = temporaryFolder()
  const url = pathToFileURL(folder.file('a b.db'))
  const store = sqliteStore(url)
  await store.append(appends('a', [started('a')]))
  await store.backup(String(pathToFileURL(folder.file('copy.db'))))
  await store.close()
  expect(existsSync(folder.file('a b.db'))).toBe(true)
  expect(existsSync(folder.file('copy.db'))).toBe(true)
  const again = sqliteStore(url.href)
  expect(await again.read('a')).toHaveLength(1)
  await again.close()
})

describe('a place that cannot hold a file', () => {
  test('a folder', () => {
    using folder = temporaryFolder()
    expectRefusal(folder.path, 'STORE_CANNOT_OPEN', 'cannot be opened')
  })

  test('a folder that is a file', () => {
    using folder = temporaryFolder()
    writeFileSync(folder.file('notes.txt'), '')
    expectRefusal(folder.file('notes.txt/runs.db'), 'STORE_CANNOT_OPEN', 'cannot be opened')
  })

  test('a folder that is not there', () => {
    using folder = temporaryFolder()
    expectRefusal(folder.file('gone/runs.db'), 'STORE_CANNOT_OPEN', 'in a folder that exists')
    expect(statSync(folder.file('gone'), { throwIfNoEntry: false })).toBeUndefined()
  })

  test('a folder that goes away before the thread has opened the file', async () => {
    using folder = temporaryFolder()
    mkdirSync(folder.file('short'))
    const store = sqliteStore(folder.file('short/runs.db'), { worker: true })
    rmSync(folder.file('short'), { recursive: true })
    await expect(store.list('runs', {})).rejects.toMatchObject({
      name: 'StoreError',
      code: 'STORE_CANNOT_OPEN',
    })
    mkdirSync(folder.file('short'))
    expect((await store.list('runs', {})).items).toEqual([])
    await store.close()
  })
})

describe('a file that is no store', () => {
  test('a text', () => {
    using folder = temporaryFolder()
    const file = folder.file('notes.txt')
    writeFileSync(file, 'Remember the milk.\n'.repeat(500))
    const before = readFileSync(file)
    expectRefusal(file, 'STORE_CORRUPT', 'no SQLite database')
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  test('the database of another program, with its own tables or its own mark', () => {
    using folder = temporaryFolder()
    for (const sql of ['CREATE TABLE notes (text)', 'PRAGMA application_id = 7', 'PRAGMA user_version = 1']) {
      const file = folder.file(`${sql.length}.db`)
      const other = new DatabaseSync(file)
      other.exec(sql)
      other.close()
      const before = readFileSync(file)
      expectRefusal(file, 'STORE_FOREIGN', 'another program')
      expect(readFileSync(file).equals(before)).toBe(true)
    }
  })

  test('an empty file becomes a store', async () => {
    using folder = temporaryFolder()
    writeFileSync(folder.file('runs.db'), '')
    await written(folder.file('runs.db'))
    const store = sqliteStore(folder.file('runs.db'))
    expect(await store.read('a')).toEqual([started('a')])
    await store.close()
  })
})

describe('a damaged file', () => {
  test('one that has lost its end', async () => {
    using folder = temporaryFolder()
    const file = folder.file('runs.db')
    await written(file, 100)
    for (const size of [statSync(file).size - 4096, 8192, 5000, 4096, 100]) {
      truncateSync(file, size)
      expectRefusal(file, 'STORE_CORRUPT', 'damaged')
      expect(statSync(file).size).toBe(size)
    }
  })

  test('one whose head is overwritten', async () => {
    using folder = temporaryFolder()
    const file = folder.file('runs.db')
    await written(file)
    const bytes = readFileSync(file)
    writeFileSync(file, bytes.fill(0x55, 0, 100))
    expectRefusal(file, 'STORE_CORRUPT', 'damaged')
    expect(readFileSync(file).equals(bytes)).toBe(true)
  })

  test('one that has lost a table', async () => {
    using folder = temporaryFolder()
    await written(folder.file('runs.db'))
    change(folder.file('runs.db'), 'DROP TABLE queued_signals')
    expectRefusal(folder.file('runs.db'), 'STORE_CORRUPT', 'no such table: queued_signals')
  })

  test('one that is empty or gone, while its log is there', async () => {
    using folder = temporaryFolder()
    const file = folder.file('runs.db')
    const open = sqliteStore(file)
    await open.append(appends('a', [started('a')]))
    const log = readFileSync(`${file}-wal`)
    const main = readFileSync(file)
    await open.close()
    writeFileSync(`${file}-wal`, log)
    writeFileSync(file, '')
    expectRefusal(file, 'STORE_CORRUPT', 'write-ahead log')
    rmSync(file)
    expectRefusal(file, 'STORE_CORRUPT', 'empty or gone')
    expect(readFileSync(`${file}-wal`).equals(log)).toBe(true)
    writeFileSync(file, main)
    const again = sqliteStore(file)
    expect(await again.read('a')).toEqual([started('a')])
    await again.close()
  })

  test('pages in its middle that make no sense are said when they are read', async () => {
    using folder = temporaryFolder()
    const file = folder.file('runs.db')
    await written(file, 200)
    const bytes = readFileSync(file)
    writeFileSync(file, bytes.fill(0x55, 4096 * 70, 4096 * 100))
    for (const worker of [false, true]) {
      const store = sqliteStore(file, { worker })
      await expect(store.read('a')).rejects.toMatchObject({ name: 'StoreError', code: 'STORE_CORRUPT' })
      await store.close()
    }
  })

  test.each([
    [
      'an entry that is missing',
      'DELETE FROM entries WHERE seq = 1',
      'entries 0 to 2 were expected, 2 are there',
    ],
    [
      'the last entry missing',
      'DELETE FROM entries WHERE seq = 2',
      'entries 0 to 2 were expected, 2 are there',
    ],
    ['all entries missing', 'DELETE FROM entries', 'entries 0 to 2 were expected, 0 are there'],
    [
      'an entry that is cut',
      "UPDATE entries SET entry = '{\"a' WHERE seq = 2",
      'entry 2 of the run "a" is not what was written',
    ],
  ])('%s is said when the journal is read', async (_what, sql, text) => {
    using folder = temporaryFolder()
    await written(folder.file('runs.db'), 3)
    change(folder.file('runs.db'), sql)
    const store = sqliteStore(folder.file('runs.db'))
    await expect(store.read('a')).rejects.toMatchObject({ code: 'STORE_CORRUPT' })
    await expect(store.read('a')).rejects.toThrow(text)
    await store.close()
  })
})

/** As another program would. */
function change(file: string, sql: string): void {
  const other = new DatabaseSync(file)
  other.exec(sql)
  other.close()
}

/** The tables of a later release. */
function withStep(sql: string): SchemaSteps<string> {
  return new SchemaSteps(schema.first, [...schema.steps, { sql }])
}

describe('a file of another release', () => {
  test.each([1, 14])(
    'one of a build before the first release (%i) is refused, and stays as it is',
    (version) => {
      using folder = temporaryFolder()
      const file = folder.file('runs.db')
      const old = new DatabaseSync(file)
      old.exec(`CREATE TABLE runs (run_id TEXT, parked INTEGER); INSERT INTO runs VALUES ('a', 1);
      PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${version}`)
      old.close()
      const before = readFileSync(file)
      const versions = `its schema is ${version}, this release reads ${schema.first} to ${schema.version}`
      expectRefusal(file, 'STORE_OLDER', versions)
      expectRefusal(file, 'STORE_OLDER', 'let its runs end with that build, and give the store another file')
      expect(readFileSync(file).equals(before)).toBe(true)
    },
  )

  test('a later step changes the tables, and keeps all that is in them', async () => {
    using folder = temporaryFolder()
    const file = folder.file('runs.db')
    await written(file)
    const database = new DatabaseSync(file)
    migrate(database, withStep('ALTER TABLE runs ADD COLUMN label TEXT'))
    expect(versionsOf(database)).toEqual({ version: schema.version + 1, oldest: schema.version + 1 })
    expect(database.prepare('SELECT run_id, label FROM runs').get()).toEqual({ run_id: 'a', label: null })
    database.close()
    expectRefusal(file, 'STORE_NEWER', `its schema is ${schema.version + 1}`)
  })

  test('a step that fails leaves the file as it was', async () => {
    using folder = temporaryFolder()
    const file = folder.file('runs.db')
    await written(file)
    const sql = new DatabaseSync(file)
    const database = new Database(sql, file)
    const failing = withStep('CREATE TABLE labels (run); CREATE TABLE runs (label)')
    expect(() => database.exclusively(() => migrate(sql, failing))).toThrow('runs already exists')
    expect(versionsOf(sql)).toEqual({ version: schema.version, oldest: schema.oldest })
    database.close()
    const store = sqliteStore(file)
    expect(await store.read('a')).toEqual([started('a')])
    await store.close()
  })

  test('a newer one is refused', async () => {
    using folder = temporaryFolder()
    const file = folder.file('runs.db')
    await written(file)
    change(file, 'PRAGMA user_version = 99; UPDATE schema_versions SET oldest = 99')
    const before = readFileSync(file)
    expectRefusal(file, 'STORE_NEWER', `its schema is 99, this release knows up to ${schema.version}`)
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  test('one that becomes newer while it is open is not written to any more', async () => {
    using folder = temporaryFolder()
    const file = folder.file('runs.db')
    await written(file)
    const store = sqliteStore(file)
    const newer = schema.version + 1
    change(file, `PRAGMA user_version = ${newer}; UPDATE schema_versions SET oldest = ${newer}`)
    expect(() => store.append(appends('a', [fired(1)]))).toThrow(
      expect.objectContaining({
        code: 'STORE_NEWER',
        message: expect.stringContaining(`has become ${newer}`),
      }),
    )
    await expect(store.memory.save('t', [])).rejects.toMatchObject({ code: 'STORE_NEWER' })
    expect(await store.read('a')).toEqual([started('a')])
    await store.close()
  })

  test('a newer one that only has more in it is worked with, and stays newer', async () => {
    using folder = temporaryFolder()
    const file = folder.file('runs.db')
    await written(file)
    const store = sqliteStore(file)
    const newer = schema.version + 1
    change(file, `ALTER TABLE runs ADD COLUMN label TEXT; PRAGMA user_version = ${newer}`)
    expect(store.append(appends('a', [fired(1)]))).toBeUndefined()
    const other = sqliteStore(file)
    expect(other.append(appends('b', [started('b')]))).toBeUndefined()
    expect(await other.read('a')).toEqual([started('a'), fired(1)])
    expect((await other.list('runs', {})).items.map(({ runId }) => runId)).toEqual(['a', 'b'])
    await store.close()
    await other.close()
    const after = new DatabaseSync(file, { readOnly: true })
    expect(after.prepare('PRAGMA user_version').get()).toEqual({ user_version: newer })
    after.close()
  })
})

test('a file that may only be read is refused, and stays as it is', async () => {
  using folder = temporaryFolder()
  const file = folder.file('runs.db')
  await written(file)
  const before = readFileSync(file)
  chmodSync(file, 0o444)
  chmodSync(folder.path, 0o777)
  const program = `
    import { sqliteStore } from 'troupe/sqlite'
    if (process.getuid() === 0) process.setuid(65534) // nothing is read-only for root
    for (const worker of [false, true]) {
      try {
        sqliteStore(process.argv[1], { worker })
      } catch (error) {
        console.log(error.name, error.code, error.message.includes(process.argv[1]))
      }
    }`
  const ended = await runProgram(program, { args: [file] })
  const line = 'StoreError STORE_READ_ONLY true\n'
  expect(ended).toEqual({ code: 0, signal: null, stdout: line + line, stderr: '' })
  expect(readFileSync(file).equals(before)).toBe(true)
})

test('a program that may start no thread is told so', () => {
  using folder = temporaryFolder()
  const program = `
    import { sqliteStore } from 'troupe/sqlite'
    try { sqliteStore(${JSON.stringify(folder.file('runs.db'))}, { worker: true }) }
    catch (error) { console.log(error.name, error.code, error.message) }`
  const flags = ['--permission', '--allow-fs-read=*', '--allow-fs-write=*', '--input-type=module']
  const printed = execFileSync(process.execPath, [...flags, '-e', program], {
    encoding: 'utf8',
    cwd: process.cwd(),
  })
  expect(printed).toMatch(/^StoreError STORE_UNAVAILABLE SQLite store .*--allow-worker/)
})

test('a Node without node:sqlite is told so', async () => {
  const program = `
    import { sqliteStore } from 'troupe/sqlite'
    try {
      sqliteStore('runs.db')
    } catch (error) {
      console.log(error.name, error.code, error.message)
    }`
  const { stdout } = await runProgram(program, { flags: ['--no-experimental-sqlite'] })
  expect(stdout).toContain('StoreError STORE_UNAVAILABLE sqliteStore() needs node:sqlite, which this Node (v')
  expect(stdout).toContain('Use Node 22.13 or later, or memoryStore()')
})
