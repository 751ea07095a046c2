import { expect, test } from 'vitest'
import { StoreError, TroupeError } from 'troupe'
import { Committer, type Appender } from '../../src/runtime/journal/committer.ts'
import type { JournalEntry } from '../../src/runtime/journal/journal.ts'
import { firstLease, type AppendReport, type JournalAppend } from '../../src/runtime/journal/store.ts'

const entry = (at: number): JournalEntry => ({ type: 'timer.fired', at, key: 'k', digest: 'd', dueAt: 0 })

function appender(runId: string, log: string[], onCommitted?: (entry: JournalEntry) => void): Appender {
  return {
    lease: firstLease(runId),
    committed(committed) {
      log.push(`${runId} ${committed.at}`)
      onCommitted?.(committed)
    },
    turnEnded: () => log.push(`${runId} turn`),
    overtaken: (answers, waiting) => {
      log.push(`${runId} overtaken by ${answers.map(({ id }) => id).join(' ')}`)
      return [...answers.map(({ id }) => ({ entry: entry(id), queued: id })), ...waiting]
    },
    broke: (error) => log.push(`${runId} ${error instanceof TroupeError ? error.code : String(error)}`),
  }
}

function store(append: (appends: readonly JournalAppend[]) => AppendReport | void | Promise<void>) {
  return { append }
}

test('appends of one turn are one transaction, and nothing is delivered before it is durable', async () => {
  const log: string[] = []
  const durable = Promise.withResolvers<void>()
  const committer = new Committer(
    store((appends) => {
      log.push(`store ${appends.map(({ runId, entry }) => `${runId}${entry?.at}`).join(' ')}`)
      return durable.promise
    }),
  )
  const [a, b] = [appender('a', log), appender('b', log)]
  committer.append(a, entry(1))
  committer.append(b, entry(2))
  committer.append(a, entry(3))
  await Promise.resolve()
  expect(log).toEqual(['store a1 b2 a3'])
  durable.resolve()
  await new Promise(setImmediate)
  expect(log).toEqual(['store a1 b2 a3', 'a 1', 'b 2', 'a 3', 'a turn', 'b turn'])
})

test('a run waits for its blobs alone, and is refused alone where they are not stored', async () => {
  const log: string[] = []
  const committer = new Committer(
    store((appends) => void log.push(`store ${appends.map(({ runId }) => runId).join(' ')}`)),
  )
  const bad = { files: { put: () => Promise.reject(new Error('no place')), drop: () => undefined } }
  const good = { files: { put: () => Promise.resolve(), drop: () => undefined } }
  const [a, b, c] = [appender('a', log), appender('b', log), appender('c', log)]
  const receipt = { kept: () => log.push('kept'), refused: () => log.push('refused') }
  committer.append(a, entry(1))
  committer.append(b, entry(2), { ...bad, receipt })
  committer.append(b, entry(3))
  committer.append(c, entry(4), { ...good, receipt })
  committer.append(c, entry(6))
  await new Promise(setImmediate)
  expect(log.filter((line) => /^store a|^a /.test(line))).toEqual(['store a', 'a 1', 'a turn'])
  expect(log.filter((line) => /^b|^refused/.test(line))).toEqual(['b STORE_FAILED', 'refused'])
  expect(log.filter((line) => /^store c|^c|^kept/.test(line))).toEqual([
    'store c c',
    'c 4',
    'kept',
    'c 6',
    'c turn',
  ])
  expect(log.indexOf('store a')).toBeLessThan(log.indexOf('store c c'))
})

test('entries that wait for files are refused when it closes, and the files are dropped', async () => {
  const log: string[] = []
  const stored = Promise.withResolvers<void>()
  const committer = new Committer(store(() => void log.push('store')))
  const files = { put: () => stored.promise, drop: () => log.push('drop') }
  const receipt = { kept: () => log.push('kept'), refused: () => log.push('refused') }
  const a = appender('a', log)
  committer.append(a, entry(1), { files, receipt })
  committer.append(a, entry(2))
  await committer.close()
  stored.resolve()
  await new Promise(setImmediate)
  expect(log).toEqual(['drop', 'a TROUPE_CLOSED', 'refused', 'a TROUPE_CLOSED'])
})

test('what is appended while the store writes waits for the next transaction', async () => {
  const log: string[] = []
  const committer = new Committer(store(async (appends) => void log.push(`store ${appends.length}`)))
  const a: Appender = appender('a', log, ({ at }) => {
    if (at === 1) committer.append(a, entry(2))
  })
  committer.append(a, entry(1))
  await new Promise(setImmediate)
  expect(log).toEqual(['store 1', 'a 1', 'a turn', 'store 1', 'a 2', 'a turn'])
})

test.each([
  [
    'throws',
    () => {
      throw new Error('disk full')
    },
  ],
  ['rejects', () => Promise.reject(new Error('disk full'))],
])('a store that %s is told to every run of the transaction, once', async (_how, append) => {
  const log: string[] = []
  const committer = new Committer(store(append))
  committer.append(appender('a', log), entry(1))
  const b = appender('b', log)
  committer.append(b, entry(2))
  committer.append(b, entry(3))
  await new Promise(setImmediate)
  expect(log).toEqual(['a STORE_FAILED', 'b STORE_FAILED'])
})

test('the code of a store’s error is kept', async () => {
  const log: string[] = []
  const full = new StoreError('There is no room.', { code: 'STORE_FULL' })
  const committer = new Committer(store(() => Promise.reject(full)))
  let told: unknown
  committer.append({ ...appender('a', log), broke: (error) => (told = error) }, entry(1))
  await new Promise(setImmediate)
  expect(told).toMatchObject({
    name: 'StoreError',
    code: 'STORE_FULL',
    message:
      'The store did not take the journal of the run "a": There is no room. It can be resumed from what was written.',
    runId: 'a',
    cause: full,
  })
})

test('a store says when it is given what was gathered, each time', async () => {
  const log: string[] = []
  const flushes: (() => void)[] = []
  const committer = new Committer({
    ...store((appends) => void log.push(`store ${appends.length}`)),
    schedule: (flush) => void flushes.push(flush),
  })
  const a: Appender = appender('a', log, ({ at }) => {
    if (at === 2) committer.append(a, entry(3))
  })
  committer.append(a, entry(1))
  await new Promise(setImmediate)
  committer.append(a, entry(2))
  expect(log).toEqual([])
  flushes.shift()?.()
  expect(log).toEqual(['store 2', 'a 1', 'a 2', 'a turn'])
  flushes.shift()?.()
  expect(log.slice(4)).toEqual(['store 1', 'a 3', 'a turn'])
  expect(flushes).toEqual([])
})

test('a delivery that throws breaks its own run, and no other', async () => {
  const log: string[] = []
  const committer = new Committer(store(() => undefined))
  const bad = appender('bad', log, () => {
    throw new Error('our fault')
  })
  const good = appender('good', log)
  committer.append(bad, entry(1))
  committer.append(good, entry(2))
  await new Promise(setImmediate)
  committer.append(good, entry(3))
  await new Promise(setImmediate)
  expect(log).toEqual([
    'bad 1',
    'bad Error: our fault',
    'good 2',
    'bad turn',
    'good turn',
    'good 3',
    'good turn',
  ])
})

test('a run that another has taken is told so; what the others appended with it is delivered', async () => {
  const log: string[] = []
  const committer = new Committer(store(() => ({ lost: ['stale'] })))
  committer.append(appender('stale', log), entry(1))
  committer.append(appender('good', log), entry(2))
  await new Promise(setImmediate)
  expect(log).toEqual(['good 2', 'good turn', 'stale LEASE_LOST'])
})

test('an answer that the store has accepted goes before what it has overtaken; other runs are delivered', async () => {
  const log: string[] = []
  const answer = { id: 7, runId: 'a', signal: { type: 'approve', toolCallId: 'x' }, claim: 'k' } as const
  const committer = new Committer(
    store((appends) => {
      log.push(
        `store ${appends.map(({ runId, entry, queued }) => `${runId}${entry?.at}${queued ?? ''}`).join(' ')}`,
      )
      const isAnswered = appends.some(({ queued }) => queued === 7)
      return isAnswered || appends.every(({ runId }) => runId !== 'a')
        ? undefined
        : { lost: [], answered: [answer] }
    }),
  )
  const [a, b] = [appender('a', log), appender('b', log)]
  const receipt = { kept: () => log.push('kept'), refused: () => log.push('refused') }
  committer.append(a, entry(1), { receipt })
  committer.append(b, entry(2))
  await committer.flushed()
  expect(log).toEqual([
    'store a1 b2',
    'b 2',
    'b turn',
    'a overtaken by 7',
    'store a77 a1',
    'a 7',
    'a 1',
    'kept',
    'a turn',
  ])
})

test('an answer that was fetched goes before what waits, and after what is under way', async () => {
  const log: string[] = []
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const committer = new Committer(
    store((appends) => {
      log.push(`store ${appends.map(({ entry }) => entry?.at).join(' ')}`)
      return gates.shift()?.promise
    }),
  )
  const [first, second] = gates
  const a = appender('a', log)
  committer.append(a, entry(1))
  await Promise.resolve()
  committer.append(a, entry(2))
  const answer = { id: 7, runId: 'a', signal: { type: 'approve', toolCallId: 'x' }, claim: 'k' } as const
  committer.answered(a, answer)
  committer.answered(a, answer)
  first?.resolve()
  second?.resolve()
  await committer.flushed()
  expect(log).toEqual(['store 1', 'a 1', 'a turn', 'a overtaken by 7', 'store 7 2', 'a 7', 'a 2', 'a turn'])
})

test('what waits behind an append that was refused is dropped, with its answers; other runs go on', async () => {
  const log: string[] = []
  const failing = Promise.withResolvers<void>()
  let hasFailed = false
  const committer = new Committer(
    store(async (appends) => {
      log.push(`store ${appends.map(({ runId, entry }) => `${runId}${entry?.at}`).join(' ')}`)
      if (hasFailed) return
      hasFailed = true
      await failing.promise
    }),
  )
  const [a, b] = [appender('a', log), appender('b', log)]
  committer.append(a, entry(1))
  await Promise.resolve()
  committer.append(a, entry(2), {
    receipt: { kept: () => log.push('kept'), refused: (error) => log.push((error as StoreError).code) },
  })
  committer.answered(a, {
    id: 7,
    runId: 'a',
    signal: { type: 'approve', toolCallId: 'a/call:1.1' },
    claim: 'k',
  })
  committer.append(b, entry(3))
  failing.reject(new StoreError('The disk is full.', { code: 'STORE_FULL' }))
  await committer.flushed()
  expect(log).toEqual(['store a1', 'a STORE_FULL', 'STORE_FULL', 'store b3', 'b 3', 'b turn'])
})
