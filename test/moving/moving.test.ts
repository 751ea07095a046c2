/** Runs, threads, notes and files that move from one store to another. */
import { PGlite } from '@electric-sql/pglite'
import {
  createAgent,
  createTool,
  createTroupe,
  file,
  memoryStore,
  type AnyAgent,
  type RunSummary,
  type Store,
  type Troupe,
  type WholeStore,
} from 'troupe'
import { exportResource, exportRuns, ImportError, importRuns, type ExportFilter } from 'troupe/moving'
import { postgresStore } from 'troupe/postgres'
import { sqliteStore } from 'troupe/sqlite'
import { scriptedModel, type ScriptedReply } from 'troupe/testing'
import { afterAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { calls } from '../support/agents/agents.ts'
import { pglitePool } from '../support/postgres/pglite-pool.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const speaking = (id: string, ...steps: readonly (string | ScriptedReply)[]) =>
  scriptedModel([], {
    modelId: id,
    otherwise: ({ messages }) =>
      steps[Math.min(messages.filter(({ role }) => role === 'assistant').length, steps.length - 1)] ??
      'Done.',
  })

interface Company {
  readonly agents: readonly AnyAgent[]
  readonly guarded: AnyAgent
  readonly outer: AnyAgent
  readonly plain: AnyAgent
  readonly paid: string[]
}

function company(): Company {
  const paid: string[] = []
  const pay = createTool({
    id: 'pay',
    description: 'Pays.',
    inputSchema: z.object({ order: z.string() }),
    requireApproval: true,
    approvalTimeout: 3_600_000,
    execute: ({ order }) => {
      paid.push(order)
      return { paid: order, proof: file(new TextEncoder().encode('receipt'), 'image/png', { name: 'r.png' }) }
    },
  })
  const asking = (id: string, memory: boolean) =>
    createAgent({
      id,
      description: 'Pays.',
      instructions: '',
      memory,
      model: speaking(id, calls({ name: 'pay', args: { order: id } }), 'Paid.'),
      tools: { pay },
    })
  const guarded = asking('guarded', true)
  const inner = asking('inner', false)
  const errand = createTool({
    id: 'errand',
    description: 'Has it paid.',
    inputSchema: z.object({}),
    execute: async (_, { start }) => (await start(inner, 'Pay.')).text,
  })
  const outer = createAgent({
    id: 'outer',
    instructions: '',
    model: speaking('outer', calls({ name: 'errand', args: {} }), 'All paid.'),
    tools: { errand },
  })
  const plain = createAgent({
    id: 'plain',
    instructions: '',
    memory: true,
    model: speaking('plain', 'Hello.'),
  })
  return { agents: [guarded, outer, inner, plain], guarded, outer, plain, paid }
}

const turn = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 2))

const troupeOn = (store: Store, { agents }: Company): Troupe =>
  createTroupe({ agents, store, passivateAfter: 0, leaseTtl: 1_000 })

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 2_000; tries++) {
    if (await condition()) return
    await turn()
  }
  throw new Error('It has not come.')
}

/** A store with a run that waits, one that has ended, a nested one that waits, and a fork, of the resource `ann`; and one of `bob`. */
async function filled(store: Store): Promise<Company> {
  const of = company()
  const troupe = troupeOn(store, of)
  const ann = { resourceId: 'ann' }
  const waiting = await troupe.start(of.guarded, 'Pay.', { ...ann, threadId: 'thread-ann', runId: 'waiting' })
  await waiting.whenIdle
  const picture = file(new TextEncoder().encode('picture'), 'image/png', { name: 'p.png' })
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Look.' }, picture] }]
  const ended = await troupe.start(of.plain, prompt, { ...ann, threadId: 'chat-ann', runId: 'ended' })
  await ended.result
  await troupe.start(of.outer, 'Go.', { ...ann, runId: 'outer' })
  await until(async () => (await troupe.awaiting()).items.length === 2)
  const fork = await troupe.fork('waiting', { at: 1 }, { runId: 'fork' })
  await fork.whenIdle
  const other = await troupe.start(of.plain, 'Hi.', {
    resourceId: 'bob',
    threadId: 'chat-bob',
    runId: 'other',
  })
  await other.result
  await troupe.memory.setWorkingMemory('ann', 'Drinks tea.')
  await troupe.memory.setWorkingMemory('bob', 'Drinks milk.')
  await until(async () => (await troupe.runs({ runId: 'fork' })).items[0]?.isPassivated === true)
  await troupe.close()
  return of
}

async function textOf(lines: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const line of lines) text += line
  return text
}

/** As its list has it, without what a restore adds. */
const bare = ({
  entries: _entries,
  updatedAt: _updated,
  duration: _duration,
  awaiting,
  ...rest
}: RunSummary) => ({
  ...rest,
  awaiting: awaiting.map(({ restored: _restored, ...question }) => question),
})

const listed = async (store: Store, filter: ExportFilter = {}) =>
  (await store.list('runs', filter)).items.map(bare)

async function toEnd(troupe: Troupe): Promise<void> {
  await until(async () => {
    await troupe.recover()
    for (const { runId, toolCallId, type } of (await troupe.awaiting()).items) {
      const answer =
        type === 'approval'
          ? ({ type: 'approve', toolCallId } as const)
          : ({ type: 'resume', toolCallId, data: { retry: true } } as const)
      await troupe.signal(runId, answer).catch(() => undefined)
    }
    return (await troupe.runs({ status: 'unfinished' })).items.length === 0
  })
}

const database = new PGlite()
const pool = pglitePool(database)
const folder = temporaryFolder()
let made = 0

afterAll(async () => {
  await database.close()
  folder[Symbol.dispose]()
})

const opened: Readonly<Record<string, () => WholeStore>> = {
  memory: () => memoryStore(),
  SQLite: () => sqliteStore(folder.file(`${++made}.db`), { synchronous: 'normal' }),
  Postgres: () => postgresStore({ pool, schema: `moving_${++made}` }),
}

const kinds = Object.keys(opened)
const openedAs = (kind: string): WholeStore => opened[kind]?.() ?? memoryStore()

describe.each(kinds.flatMap((from) => kinds.map((to) => [from, to] as const)))(
  'from %s to %s',
  (from, to) => {
    test('all is there at once, a repetition changes nothing, and the runs go on to their ends', async () => {
      const [source, target] = [openedAs(from), openedAs(to)]
      await filled(source)
      const before = await listed(source)
      const text = await textOf(exportRuns(source))
      expect(await listed(source)).toEqual(before)
      const report = await importRuns(target, text)
      expect(report).toEqual({
        runs: 6,
        present: 0,
        threads: expect.any(Number) as number,
        notes: 2,
        blobs: 1,
      })
      expect(await listed(target)).toEqual(before)
      const questions = (await target.list('questions', {})).items
      expect(questions.map(({ restored }) => restored)).toEqual([true, true, true])
      for (const { runId } of before) {
        const journal = (await source.read(runId)) ?? []
        const there = (await target.read(runId)) ?? []
        expect(there.slice(0, journal.length)).toEqual(journal)
        const isEnded = journal.some(({ type }) => type === 'run.settled')
        expect(there.slice(journal.length).map(({ type }) => type)).toEqual(isEnded ? [] : ['run.restored'])
      }
      expect(await target.memory.threads({})).toEqual(await source.memory.threads({}))
      for (const { id } of await source.memory.threads({}))
        expect(await target.memory.messages(id, {})).toEqual(await source.memory.messages(id, {}))
      expect(await target.memory.workingMemory('ann')).toBe('Drinks tea.')
      const after = await target.list('runs', {})
      expect(await importRuns(target, [text])).toMatchObject({ runs: 0, present: 6, notes: 0 })
      expect(await target.list('runs', {})).toEqual(after)
      const life = company()
      const troupe = troupeOn(target, life)
      await toEnd(troupe)
      expect((await troupe.runs()).items.map(({ outcome }) => outcome)).toEqual(before.map(() => 'completed'))
      expect(life.paid.toSorted()).toEqual(['guarded', 'guarded', 'inner'])
      expect(await importRuns(target, text)).toMatchObject({ runs: 0, present: 6 })
      await troupe.close()
      await source.close?.()
      await target.close?.()
    })
  },
)

test('a resource goes with all that is its own, and nothing of another', async () => {
  const [source, target] = [memoryStore(), memoryStore()]
  await filled(source)
  await importRuns(target, exportResource(source, 'ann'))
  expect((await listed(target)).map(({ runId }) => runId).filter((id) => !id.startsWith('nested-'))).toEqual([
    'waiting',
    'ended',
    'outer',
    'fork',
  ])
  expect((await target.memory.threads({})).every(({ resourceId }) => resourceId === 'ann')).toBe(true)
  expect(await target.memory.workingMemory('bob')).toBeUndefined()
  const life = company()
  const troupe = troupeOn(target, life)
  const messages = await troupe.memory.messages('chat-ann')
  expect(JSON.stringify(messages)).toContain('p.png')
  await toEnd(troupe)
  await troupe.close()
})

test.each<[string, ExportFilter, readonly string[]]>([
  ['a run within a call, with the run that began it', { agent: 'inner' }, ['outer', 'nested']],
  ['a run with those within its calls', { runId: 'outer' }, ['outer', 'nested']],
  ['a fork with the run that it descends from', { runId: 'fork' }, ['waiting', 'fork']],
  ['one run', { runId: 'other' }, ['other']],
  ['none', { agent: 'nobody' }, []],
])('a filter chooses %s', async (_what, filter, expected) => {
  const [source, target] = [memoryStore(), memoryStore()]
  await filled(source)
  await importRuns(target, exportRuns(source, filter))
  const names = (await listed(target)).map(({ runId }) => (runId.startsWith('nested-') ? 'nested' : runId))
  expect(names.toSorted()).toEqual([...expected].toSorted())
})

test('a moved run ends in its store, asks nothing where it goes on, and is given again', async () => {
  const [source, target] = [memoryStore(), memoryStore()]
  await filled(source)
  await textOf(exportRuns(source, {}, { move: true })) // lost
  const ends = (await source.list('runs', {})).items.map(({ status }) => status)
  expect(new Set(ends)).toEqual(new Set(['settled']))
  expect((await source.read('waiting'))?.at(-1)).toMatchObject({ forced: true, error: { code: 'RUN_MOVED' } })
  await importRuns(target, exportRuns(source, {}, { move: true }))
  const life = company()
  const troupe = troupeOn(target, life)
  await toEnd(troupe)
  for (const { runId } of (await troupe.runs()).items) {
    const journal = await troupe.journal(runId)
    expect(journal.filter(({ type }) => type === 'run.restored')).toEqual([])
  }
  expect(life.paid.toSorted()).toEqual(['guarded', 'guarded', 'inner'])
  await troupe.close()
})

test('a move keeps questions and timers where they are exported as they end', async () => {
  const [source, target] = [memoryStore(), memoryStore()]
  await filled(source)
  const before = await listed(source)
  await importRuns(target, exportRuns(source, {}, { move: true }))
  expect(await listed(target)).toEqual(before)
  expect((await target.list('questions', {})).items.some(({ restored }) => restored)).toBe(false)
})

test('a run that a process has is refused, and the text that lacks it is no export', async () => {
  const [source, target] = [memoryStore(), memoryStore()]
  await filled(source)
  const now = Date.now()
  await source.claim('waiting', 'a worker', now, now + 30_000)
  let text = ''
  const reading = (async () => {
    for await (const line of exportRuns(source)) text += line
  })()
  await expect(reading).rejects.toMatchObject({ code: 'RUN_OWNED', runId: 'waiting' })
  await expect(importRuns(target, text)).rejects.toMatchObject({ code: 'IMPORT_INCOMPLETE' })
})

test('an export that is left in the middle lets the run go as it was', async () => {
  const source = memoryStore()
  await filled(source)
  const before = await listed(source)
  for await (const line of exportRuns(source)) if (line.includes('"run":"waiting"')) break
  expect(await listed(source)).toEqual(before)
  const now = Date.now()
  expect(await source.claim('waiting', 'a worker', now, now + 1)).toBeDefined()
})

test('a queued answer comes with its run, once', async () => {
  const [source, target] = [memoryStore(), memoryStore()]
  await filled(source)
  const [question] = (await source.list('questions', { runId: 'waiting' })).items
  const entries = (await source.read('waiting'))?.length ?? 0
  const toolCallId = question?.toolCallId ?? ''
  await source.enqueueSignal(
    'waiting',
    { type: 'approve', toolCallId },
    { key: question?.key ?? '', entries },
  )
  const text = await textOf(exportRuns(source, { runId: 'waiting' }))
  await importRuns(target, text)
  await importRuns(target, text)
  const queued = (await target.list('signals', { runIds: ['waiting'] })).items
  expect(queued).toMatchObject([{ signal: { type: 'approve', toolCallId }, claim: question?.key }])
})

test('reads one run at a time', async () => {
  const inner = memoryStore()
  await filled(inner)
  let reads = 0
  const source: Store = {
    ...inner,
    read: (...given) => {
      reads++
      return inner.read(...given)
    },
  }
  const lines = exportRuns(source)[Symbol.asyncIterator]()
  await lines.next()
  expect(reads).toBe(0)
  await lines.next()
  expect(reads).toBe(1)
  await lines.return?.()
})

describe('a text that is no whole export', () => {
  const whole = (async () => {
    const source = memoryStore()
    await filled(source)
    return textOf(exportRuns(source))
  })()

  test('cut anywhere is refused, leaves whole runs alone, and the whole text goes on from there', async () => {
    const text = await whole
    const lines = text.split('\n').slice(0, -1)
    for (let count = 0; count < lines.length; count++) {
      const target = memoryStore()
      const cut = lines.slice(0, count).map((line) => `${line}\n`)
      const error: unknown = await importRuns(target, cut).catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(ImportError)
      expect(error).toMatchObject({ code: 'IMPORT_INCOMPLETE' })
      const { runs } = (error as ImportError).imported
      expect((await target.list('runs', {})).items).toHaveLength(runs)
      expect(await importRuns(target, text)).toMatchObject({ runs: 6 - runs, present: runs })
    }
    for (let at = 2; at < text.length; at += 97) {
      await expect(importRuns(memoryStore(), text.slice(0, -at))).rejects.toBeInstanceOf(ImportError)
    }
  })

  test('changed anywhere is refused, or means the same', async () => {
    const text = await whole
    const expected = await (async () => {
      const target = memoryStore()
      await importRuns(target, text)
      return listed(target)
    })()
    for (let at = 0; at < text.length; at += 61) {
      const changed = `${text.slice(0, at)}${text[at] === 'x' ? 'y' : 'x'}${text.slice(at + 1)}`
      const target = memoryStore()
      const isTaken = await importRuns(target, changed).then(
        () => true,
        (error: unknown) => {
          expect(error).toBeInstanceOf(ImportError)
          return false
        },
      )
      const runs = await listed(target)
      if (isTaken) expect(runs).toEqual(expected)
      for (const run of runs) expect(expected).toContainEqual(run)
    }
  })

  test('comes in pieces of any length, as bytes or texts', async () => {
    const text = await whole
    const bytes = new TextEncoder().encode(text)
    for (const step of [1, 7, 4_096, bytes.length]) {
      const target = memoryStore()
      const pieces = function* () {
        for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step)
      }
      expect(await importRuns(target, pieces())).toMatchObject({ runs: 6 })
    }
    expect(await importRuns(memoryStore(), text.replaceAll('\n', '\r\n'))).toMatchObject({ runs: 6 })
  })

  const section = async (...lines: readonly object[]): Promise<string> => {
    const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(body)))
    return `${body}${JSON.stringify({ sealed: Buffer.from(digest).toString('hex') })}\n`
  }
  const head = '{"format":"troupe-export","version":1,"at":0}\n'
  const run = { run: 'a', entries: 1, signals: 0, awaiting: [] }
  const begun = { entry: { type: 'run.started', at: 0, runId: 'a', agent: 'x', protocol: 3 } }

  test.each<[string, string, () => Promise<string> | string]>([
    ['nothing', 'the text has no end', () => ''],
    ['another text', 'line 1: it is no JSON', () => 'PK\u0003\u0004 not an export\n'],
    ['another JSON', 'expected "format":"troupe-export"', () => '{"a":1}\n'],
    ['a list', 'line 1: it is no object', () => '[]\n'],
    ['no version', 'has no version', () => '{"format":"troupe-export"}\n'],
    [
      'lines behind the end',
      'behind the end',
      () => `${head}{"end":{"runs":0,"threads":0,"notes":0,"blobs":0}}\n{}\n`,
    ],
    [
      'other counts',
      'it has 3 runs, and there are 0',
      () => `${head}{"end":{"runs":3,"threads":0,"notes":0,"blobs":0}}\n`,
    ],
    [
      'a section without a seal',
      'a section has no seal',
      () => `${head}${JSON.stringify(run)}\n{"end":{}}\n`,
    ],
    ['a seal without a section', 'changed or damaged', () => `${head}{"sealed":"00"}\n`],
    ['an unknown section', 'of no kind', async () => head + (await section({ what: 1 }))],
    [
      'a run without its start',
      'does not begin with its start',
      async () => head + (await section(run, { entry: { type: 'timer.fired', at: 0 } })),
    ],
    [
      'a run of another id',
      'does not begin with its start',
      async () => head + (await section({ ...run, run: 'b' }, begun)),
    ],
    [
      'a run that begins twice',
      'begins twice',
      async () => head + (await section({ ...run, entries: 2 }, begun, begun)),
    ],
    [
      'an entry of no type',
      'entry 1 of the run "a" is no entry',
      async () => head + (await section({ ...run, entries: 2 }, begun, { entry: { type: 'x', at: 1 } })),
    ],
    [
      'fewer entries',
      'has not the entries',
      async () => head + (await section({ ...run, entries: 2 }, begun)),
    ],
    [
      'a question of another run',
      'is no run',
      async () => head + (await section({ ...run, awaiting: [{ runId: 'b' }] }, begun)),
    ],
    [
      'a signal that is none',
      'no signal',
      async () => head + (await section({ ...run, signals: 1 }, begun, { signal: { type: 'hack' } })),
    ],
    [
      'a thread without messages',
      'no thread',
      async () => head + (await section({ thread: 't', messages: 1 })),
    ],
    [
      'a message of nobody',
      'no thread',
      async () =>
        head +
        (await section(
          { thread: 't', messages: 1 },
          { message: { id: 'm', role: 'root', content: '', at: 0 } },
        )),
    ],
    ['a note of no text', 'no note', async () => head + (await section({ note: 'ann', content: 3 }))],
    [
      'a file of other bytes',
      'has other bytes',
      async () => head + (await section({ blob: '0'.repeat(64), bytes: 'AAAA' })),
    ],
    [
      'a file of no bytes',
      'is no file',
      async () => head + (await section({ blob: '0'.repeat(64), bytes: '?' })),
    ],
    [
      'a prototype',
      'of no kind',
      async () => head + (await section(JSON.parse('{"__proto__":{"run":"a"}}') as object)),
    ],
    ['deep nesting', 'line 2', () => `${head}${'['.repeat(200_000)}\n`],
  ])('with %s is refused', async (_what, problem, text) => {
    const target = memoryStore()
    const error: unknown = await importRuns(target, await text()).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ImportError)
    expect((error as ImportError).message).toContain(problem)
    expect((error as ImportError).message).toContain('The store has taken, each whole: runs 0')
    expect((await target.list('runs', {})).items).toEqual([])
    expect(await target.memory.threads({})).toEqual([])
  })

  test('of a later format is refused by its code', async () => {
    await expect(importRuns(memoryStore(), '{"format":"troupe-export","version":2}\n')).rejects.toMatchObject(
      {
        code: 'IMPORT_NEWER',
      },
    )
  })

  test('with a line that is too long, or with too many lines, is refused before it is read whole', async () => {
    let given = 0
    const endless = function* () {
      yield head
      for (;;) {
        given++
        yield 'x'.repeat(1_000)
      }
    }
    await expect(importRuns(memoryStore(), endless(), { maxLine: 10_000 })).rejects.toThrow(
      'line 2: it has more than 10000',
    )
    expect(given).toBeLessThan(20)
    const many = function* () {
      yield head
      for (;;) yield '{"entry":{}}\n'
    }
    await expect(importRuns(memoryStore(), many(), { maxEntries: 10 })).rejects.toThrow('more than 20 lines')
  })
})

test('another run under the same id, and a thread of another resource, are conflicts', async () => {
  const [one, other] = [memoryStore(), memoryStore()]
  for (const [store, prompt, resourceId] of [
    [one, 'This.', 'ann'],
    [other, 'That.', 'bob'],
  ] as const) {
    const life = company()
    const troupe = troupeOn(store, life)
    await (
      await troupe.start(life.plain, prompt, { runId: 'same', resourceId, threadId: 'shared' })
    ).result
    await troupe.close()
  }
  await expect(importRuns(other, exportRuns(one))).rejects.toMatchObject({ code: 'IMPORT_CONFLICT' })
  const empty = memoryStore()
  await empty.memory.save('shared', [{ id: 'm', role: 'user', content: 'Mine.', at: 0 }], 'carl')
  await expect(importRuns(empty, exportRuns(one))).rejects.toMatchObject({
    code: 'IMPORT_CONFLICT',
    imported: { runs: 1 },
  })
})

test('an error of the store or of the source is passed on', async () => {
  const source = memoryStore()
  await filled(source)
  const broken: Store = { ...memoryStore(), append: () => Promise.reject(new Error('disk')) }
  await expect(importRuns(broken, exportRuns(source))).rejects.toThrow('disk')
  const { memory: _memory, blobs: _blobs, ...bare } = memoryStore()
  await expect(importRuns(bare, exportRuns(source))).rejects.toMatchObject({ code: 'STORE_LACKS_PORT' })
  const cut = async function* () {
    yield '{"format":"troupe-export","version":1,"at":0}\n'
    await Promise.resolve()
    throw new Error('connection')
  }
  await expect(importRuns(memoryStore(), cut())).rejects.toThrow('connection')
})

test('wrong options are refused at once', async () => {
  const store = memoryStore()
  expect(() => exportRuns(store, { runid: 'x' } as never)).toThrow('there is no option "runid"')
  expect(() => exportRuns({} as never)).toThrow('store')
  expect(() => exportRuns(store, {}, { move: 1 as never })).toThrow('move')
  expect(() => exportResource(store, '')).toThrow('must be a text that is not empty')
  await expect(importRuns(store, '', { maxLine: 0 })).rejects.toThrow('maxLine')
})
