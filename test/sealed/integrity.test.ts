/** What was changed, moved, cut or sealed by another key does not open; a codec that fails stops its own runs alone. */
import {
  createTroupe,
  memoryStore,
  type JournalEntry,
  type Store,
  type Troupe,
  type WholeStore,
} from 'troupe'
import { chainedStore } from 'troupe/audit'
import { aesCodec, sealedStore, type SealCodec } from 'troupe/sealed'
import { describe, expect, onTestFinished, test } from 'vitest'
import { aesOf } from '../../src/sealed/aes.ts'
import { worker } from '../support/agents/agents.ts'
import { sealed, sealing, secretOf } from '../support/sealing.ts'
import { Vault } from './vault.ts'

const lease = (runId: string) => ({ runId, owner: 'o', token: 1, expiresAt: Number.MAX_SAFE_INTEGER })

const broken = { name: 'StoreError', code: 'SEAL_BROKEN' }

function troupeOn(
  store: Store,
  replies: readonly string[] = ['Hi.'],
): { troupe: Troupe; agent: ReturnType<typeof worker>['agent'] } {
  const { agent } = worker('solo', [...replies])
  const troupe = createTroupe({ agents: [agent], store, onError: () => undefined })
  onTestFinished(() => troupe.close())
  return { troupe, agent }
}

/** A run on a sealed store, and its journal as the inner store has it. */
async function ended(): Promise<{ inner: WholeStore; runId: string; rows: readonly JournalEntry[] }> {
  const inner = memoryStore()
  const { troupe, agent } = troupeOn(sealed(inner))
  const run = await troupe.start(agent, 'Hello', { resourceId: 'ann', threadId: 't' })
  await run.result
  return { inner, runId: run.id, rows: (await inner.read(run.id)) ?? [] }
}

/** A sealed store on these rows. */
async function holding(runId: string, rows: readonly JournalEntry[], by = sealing): Promise<Store> {
  const inner = memoryStore()
  for (const entry of rows) await inner.append([{ runId, entry, lease: lease(runId) }])
  return sealedStore(inner, by)
}

describe('a journal', () => {
  test('opens where it was sealed', async () => {
    const { rows, runId } = await ended()
    const store = await holding(runId, rows)
    expect((await store.read(runId))?.map(({ type }) => type)).toEqual(rows.map(({ type }) => type))
    expect(await store.read(runId, rows.length)).toEqual([])
    expect(await store.read(runId, 1)).toHaveLength(rows.length - 1)
  })

  test.each<[string, (rows: readonly JournalEntry[]) => readonly JournalEntry[]]>([
    [
      'two entries are swapped',
      ([first, second, third, ...rest]) => [first, third, second, ...rest] as JournalEntry[],
    ],
    [
      'an entry is there twice',
      ([first, second, ...rest]) => [first, second, second, ...rest] as JournalEntry[],
    ],
    ['an entry in the middle is gone', ([first, , ...rest]) => [first, ...rest] as JournalEntry[]],
    [
      'an entry is cut',
      ([first, ...rest]) => [{ ...first, sealed: sealedText(first).slice(0, 40) }, ...rest] as never,
    ],
    ['an entry is empty', ([first, ...rest]) => [{ ...first, sealed: '' }, ...rest] as never],
    ['an entry is no base64', ([first, ...rest]) => [{ ...first, sealed: '*' }, ...rest] as never],
    ['an entry is not sealed', ([first, ...rest]) => [{ ...first, sealed: undefined }, ...rest] as never],
    [
      'one bit is changed',
      ([first, ...rest]) => [{ ...first, sealed: flipped(sealedText(first)) }, ...rest] as never,
    ],
  ])('does not open where %s', async (_name, change) => {
    const { rows, runId } = await ended()
    const store = await holding(runId, change(rows))
    await expect(store.read(runId)).rejects.toMatchObject(broken)
  })

  test('does not open under the id of another run', async () => {
    const { rows } = await ended()
    const store = await holding('other', rows)
    await expect(store.read('other')).rejects.toMatchObject(broken)
  })

  test('says nothing that was changed in its clear part', async () => {
    const { rows, runId } = await ended()
    const [first, ...rest] = rows
    const store = await holding(runId, [{ ...first, agent: 'forged', at: 1 } as JournalEntry, ...rest])
    expect((await store.read(runId))?.[0]).toMatchObject({ agent: 'solo', resourceId: 'ann' })
  })

  test.each([
    [
      'another key of the same id',
      { ...sealing, codec: aesCodec({ keys: [{ id: 'k1', bytes: secretOf(2) }] }) },
      broken,
    ],
    [
      'another key',
      { ...sealing, codec: aesCodec({ keys: [{ id: 'k2', bytes: secretOf(1) }] }) },
      { code: 'SEAL_KEY_MISSING' },
    ],
    ['other names', { ...sealing, names: secretOf(8) }, broken],
  ])('does not open by %s', async (_name, by, error) => {
    const { rows, runId } = await ended()
    const store = await holding(runId, rows, by)
    await expect(store.read(runId)).rejects.toMatchObject(error)
  })
})

function sealedText(row: JournalEntry | undefined): string {
  return (row as { readonly sealed?: string } | undefined)?.sealed ?? ''
}

function flipped(text: string): string {
  const bytes = Buffer.from(text, 'base64')
  bytes[40] = (bytes[40] ?? 0) ^ 1
  return bytes.toString('base64')
}

describe('a run whose journal was changed', () => {
  test('is refused, ended by force and deleted, and keeps no other from its recovery', async () => {
    const { rows, runId } = await ended()
    const [first] = rows
    const inner = memoryStore()
    const spoilt = { ...first, sealed: flipped(sealedText(first)) } as object as JournalEntry
    await inner.append([{ runId, entry: spoilt, lease: { ...lease(runId), expiresAt: 1 } }])
    const { troupe } = troupeOn(sealed(inner))
    expect(await troupe.recover()).toMatchObject({ refused: [{ runId, error: { code: 'SEAL_BROKEN' } }] })
    await expect(troupe.resume(runId)).rejects.toMatchObject({ code: 'SEAL_BROKEN' })
    await troupe.delete(runId, { force: true })
    expect((await troupe.runs()).items).toEqual([])
  })
})

test('a signal that was changed is left out, and reported', async () => {
  const inner = memoryStore()
  const problems: unknown[] = []
  const store = sealedStore(inner, { ...sealing, onError: (problem) => problems.push(problem) })
  const { rows, runId } = await ended()
  await inner.append([{ runId, entry: rows[0], lease: lease(runId) }])
  await store.enqueueSignal(runId, { type: 'cancel', reason: 'whole' })
  await inner.enqueueSignal(runId, { type: 'cancel', reason: 'forged' })
  const { items } = await store.list('signals', { runIds: [runId] })
  expect(items.map(({ signal }) => signal)).toEqual([{ type: 'cancel', reason: 'whole' }])
  expect(problems).toMatchObject([{ where: 'store', runId, error: broken }])
})

test('an accepted answer that was changed stops its run alone', async () => {
  const inner = memoryStore()
  const store = sealed(inner)
  const started = (runId: string) => ({ ...startedOf, runId }) as JournalEntry
  const { rows: _rows, runId: _id, inner: other } = await ended()
  const startedOf = (await sealed(other).read(_id))?.[0]
  for (const runId of ['a', 'b']) await store.append([{ runId, entry: started(runId), lease: lease(runId) }])
  await inner.enqueueSignal('a', { type: 'cancel' }, { key: 'call', entries: 1 })
  const entry = { type: 'timer.fired', at: 2, key: 'k', digest: 'd', dueAt: 1 } as const
  const report = await store.append(['a', 'b'].map((runId) => ({ runId, entry, lease: lease(runId) })))
  expect(report).toMatchObject({ lost: [], refused: [{ runId: 'a', error: broken }] })
  expect(await store.read('b', 1)).toEqual([entry])
})

describe('a codec', () => {
  const failing = (
    act: (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>,
    names: string,
  ): SealCodec => ({
    seal: (bytes, context) => (context.key === names ? act(bytes) : sealing.codec.seal(bytes, context)),
    open: (bytes, context) => sealing.codec.open(bytes, context),
  })

  test.each<[string, () => Uint8Array | Promise<Uint8Array>]>([
    [
      'throws',
      () => {
        throw new Error('vault is away')
      },
    ],
    ['rejects', async () => Promise.reject(new Error('vault is away'))],
    ['never answers', async () => new Promise<never>(() => undefined)],
    ['gives no bytes', () => 'text' as never],
  ])('that %s for one resource refuses its runs alone', async (_name, act) => {
    const inner = memoryStore()
    const { troupe, agent } = troupeOn(
      sealedStore(inner, { ...sealing, codec: failing(act, 'ann'), timeout: 20 }),
      ['1', '2', '3'],
    )
    const results = await Promise.allSettled(
      ['ann', 'bob', 'cleo'].map(async (resourceId) => {
        const run = await troupe.start(agent, 'Hello', { resourceId })
        return (await run.result).outcome
      }),
    )
    expect(results).toMatchObject([
      { status: 'rejected', reason: { name: 'StoreError', code: 'SEAL_FAILED' } },
      { status: 'fulfilled', value: 'completed' },
      { status: 'fulfilled', value: 'completed' },
    ])
    expect((await inner.list('runs', {})).items).toHaveLength(2)
  })

  test('that gives other bytes than it sealed is told from a good one', async () => {
    const inner = memoryStore()
    const codec: SealCodec = { seal: (bytes) => bytes, open: () => Uint8Array.of(1, 2, 3) }
    const { troupe, agent } = troupeOn(sealedStore(inner, { ...sealing, codec }))
    const run = await troupe.start(agent, 'Hello')
    await run.result
    await expect(troupe.journal(run.id)).rejects.toMatchObject(broken)
  })

  test('keyOf that throws, and one that gives no text, refuse their runs', async () => {
    for (const keyOf of [
      () => {
        throw new Error('no key')
      },
      () => 7 as never,
    ]) {
      const { troupe, agent } = troupeOn(sealedStore(memoryStore(), { ...sealing, keyOf }))
      await expect(troupe.start(agent, 'Hello')).rejects.toMatchObject({ code: 'SEAL_FAILED' })
    }
  })
})

describe('a rotation', () => {
  test('in the middle of a run: new entries by the new key, and the old ones are read', async () => {
    const inner = memoryStore()
    const vault = new Vault()
    const codec = aesCodec({ keys: vault, keepKeys: 0 })
    const store = sealedStore(inner, { ...sealing, codec })
    const { agent } = worker('solo', ['Hi.'])
    const turning = createTroupe({
      agents: [agent],
      store,
      around: (effect, perform) => {
        if (effect.kind === 'model') vault.turn('ann')
        return perform()
      },
    })
    onTestFinished(() => turning.close())
    const run = await turning.start(agent, 'Hello', { resourceId: 'ann', threadId: 't' })
    expect((await run.result).text).toBe('Hi.')
    const ids = ((await inner.read(run.id)) ?? []).map((row) => {
      const bytes = Buffer.from(sealedText(row), 'base64')
      return bytes.subarray(2, 2 + (bytes[1] ?? 0)).toString()
    })
    expect(new Set(ids).size).toBe(2)
    expect((await turning.replay(run.id)).result?.text).toBe('Hi.')
    vault.dropOld()
    await expect(turning.journal(run.id)).rejects.toMatchObject({ code: 'SEAL_KEY_MISSING' })
  })

  test('of threads and notes: what is saved again has the new key', async () => {
    const inner = memoryStore()
    const vault = new Vault()
    const { troupe } = troupeOn(
      sealedStore(inner, { ...sealing, codec: aesCodec({ keys: vault, keepKeys: 0 }) }),
    )
    await troupe.memory.save('t', [{ id: 'm', role: 'user', content: 'Hi', at: 1 }], 'ann')
    await troupe.memory.setWorkingMemory('ann', 'Likes tea.')
    vault.turn('ann')
    for (const { id, resourceId } of await troupe.memory.threads()) {
      await troupe.memory.save(id, await troupe.memory.messages(id), resourceId)
    }
    await troupe.memory.setWorkingMemory('ann', (await troupe.memory.workingMemory('ann')) ?? '')
    vault.dropOld()
    expect(await troupe.memory.messages('t')).toMatchObject([{ id: 'm', content: 'Hi' }])
    expect(await troupe.memory.workingMemory('ann')).toBe('Likes tea.')
  })
})

describe('AES-256-GCM', () => {
  const place = new TextEncoder().encode('place')

  test('has the same form by Node and by WebCrypto', async () => {
    for (const size of [0, 1, 16, 100_000]) {
      const bytes = crypto.getRandomValues(new Uint8Array(Math.min(size, 65_536)))
      const [node, web] = [aesOf(secretOf(1)), aesOf(secretOf(1), true)]
      expect(await web.open(await node.seal(bytes, place), place)).toEqual(bytes)
      expect(Uint8Array.from(await node.open(await web.seal(bytes, place), place))).toEqual(bytes)
    }
  })

  test('refuses another place, another key and a cut text by both', async () => {
    for (const isWeb of [false, true]) {
      const aes = aesOf(secretOf(1), isWeb)
      const text = await aes.seal(Uint8Array.of(1, 2, 3), place)
      const opened = async (key: number, bytes: Uint8Array, at: Uint8Array) =>
        aesOf(secretOf(key), isWeb).open(bytes, at)
      await expect(opened(1, text, Uint8Array.of(1))).rejects.toBeInstanceOf(Error)
      await expect(opened(2, text, place)).rejects.toBeInstanceOf(Error)
      for (const length of [0, 5, 12, 20, text.length - 1]) {
        await expect(opened(1, text.subarray(0, length), place)).rejects.toBeInstanceOf(Error)
      }
    }
  })

  test('draws another nonce each time', async () => {
    const aes = aesOf(secretOf(1))
    const texts = await Promise.all(
      Array.from({ length: 1000 }, async () => aes.seal(Uint8Array.of(1), place)),
    )
    expect(new Set(texts.map((text) => Buffer.from(text.subarray(0, 12)).toString('hex'))).size).toBe(1000)
  })
})

test('a chain over a sealed store is intact, and so is one below it', async () => {
  const keys = { current: 'a', keys: { a: secretOf(5) } }
  const inner = memoryStore()
  const above = chainedStore(sealed(inner), keys)
  const below = chainedStore(memoryStore(), keys)
  for (const [chained, store] of [
    [above, above],
    [below, sealed(below)],
  ] as const) {
    const { troupe, agent } = troupeOn(store)
    const run = await troupe.start(agent, 'Hello', { resourceId: 'ann' })
    expect((await run.result).outcome).toBe('completed')
    expect(await chained.verify(run.id)).toMatchObject({ isIntact: true })
  }
})
