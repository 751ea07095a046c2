/** A store that breaks a rule is found by the contract, in the case about that rule. */
import { memoryStore, type Store, type WholeStore } from 'troupe'
import { storeContract } from 'troupe/testing'
import { expect, test } from 'vitest'
import { listing } from '../../support/listing.ts'

type Break = (store: WholeStore) => Partial<Store>

/** By the case that is to find it, a fault. */
const faults: Readonly<Record<string, Break>> = {
  'journals: a journal is read from any entry on': (store) => ({ read: (runId) => store.read(runId) }),
  'fencing: what a former owner appends is not kept, and what others append with it is': (store) => {
    const newest = new Map<string, number>()
    return {
      claim: async (...args) => {
        const claimed = await store.claim(...args)
        if (claimed !== undefined) newest.set(claimed.runId, claimed.token)
        return claimed
      },
      append: (appends) =>
        store.append(
          appends.map((append) => {
            const token = newest.get(append.runId) ?? append.lease.token
            return { ...append, lease: { ...append.lease, token } }
          }),
        ),
    }
  },
  'the index: it is filtered by status, agent and conversation, alone and together': (store) => ({
    list: listing(store, 'runs', () => store.list('runs', {})),
  }),
  'leases: a held run belongs to its owner until its lease has expired': (store) => ({
    claim: (runId, owner, now, expiresAt) => store.claim(runId, owner, now + 1, expiresAt),
  }),
  'leases: a settled run is settled, passivated or not': (store) => ({
    list: listing(store, 'runs', async (read) => {
      const page = await read()
      return { ...page, items: page.items.map((summary) => ({ ...summary, wakeAt: 3 })) }
    }),
  }),
  'leases: a renewed lease holds longer; the ones that were lost are named': (store) => ({
    renew: async (leases) => {
      await store.renew(leases)
      return []
    },
  }),
  'queued signals: a signal that the run refuses is gone, and its id is not used again': (store) => ({
    append: (appends) => store.append(appends.map(({ queued: _, ...append }) => append)),
  }),
  'queued signals: a former owner refuses no signal, and an accepted answer keeps no refusal from its end': (
    store,
  ) => ({
    append: (appends) =>
      store.append(appends.map((append) => ({ ...append, questions: { opened: [], closed: [] } }))),
  }),
  'claims: of many answers at once exactly one is accepted': (store) => ({
    enqueueSignal: (runId, signal) => store.enqueueSignal(runId, signal),
  }),
  'threads: messages come back oldest first, all or the last ones': (store) => ({
    memory: {
      ...store.memory,
      messages: async (threadId, last) => (await store.memory.messages(threadId, last)).toReversed(),
    },
  }),
  'owners of threads: a thread is recalled and saved for the resource that it belongs to, and for no other': (
    store,
  ) => ({
    memory: {
      ...store.memory,
      messages: async (threadId, { last }) => store.memory.messages(threadId, { last }),
    },
  }),
  'configuration: a deleted item is gone, and comes last when it is set again': (store) => ({
    config: {
      ...store.config,
      set: async ({ value, ...place }) =>
        value === undefined ? undefined : store.config.set({ ...place, value }),
    },
  }),
  'blobs: there is none that was not put': () => ({
    blobs: { put: async () => true, get: async () => Uint8Array.of(0) },
  }),
  'async contexts: callers whose calls share their work are each called back in their own': () => ({
    read: sharedReads(),
  }),
}

/** Reads that come together share one pass, which calls all their callers back in the context of the first. */
function sharedReads(): Store['read'] {
  const waiting: (() => void)[] = []
  const pass = (): void => {
    for (const callBack of waiting.splice(0)) callBack()
  }
  const then: Promise<undefined>['then'] = (onFulfilled) =>
    new Promise((resolve) => {
      if (waiting.push(() => resolve(onFulfilled?.(undefined) as never)) === 1) setTimeout(pass)
    })
  // oxlint-disable-next-line unicorn/no-thenable -- a store that answers with a promise of its own
  return () => Object.assign(Promise.resolve(undefined), { then })
}

function openBroken(fault: Break): Store {
  const store = memoryStore()
  return { ...store, ...fault(store) }
}

test.each(Object.entries(faults))('%s', async (name, fault) => {
  const found = storeContract({ open: () => ({ store: openBroken(fault) }) }).find((one) => one.name === name)
  expect(found).toBeDefined()
  await expect(found?.run()).rejects.toMatchObject({ code: 'CONTRACT_BROKEN' })
})

test('the names of the cases differ', () => {
  const names = storeContract({ open: () => ({ store: memoryStore() }) }).map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
})

test('the cases of a part that the store lacks are left out', () => {
  const open = () => ({ store: memoryStore() })
  const left = storeContract({ open, lacks: ['blobs'] }).map(({ name }) => name)
  const all = storeContract({ open }).map(({ name }) => name)
  const ofBlobs = /^(blobs|the files of what is deleted|erasure of files|erasure of messages with files): /
  expect(left).toEqual(all.filter((name) => !ofBlobs.test(name)))
  expect(left.length).toBeLessThan(all.length)
})

test('a store is closed at the end of its case, also of one that fails', async () => {
  let closed = 0
  const close = (): void => void closed++
  const fault = faults['journals: a journal is read from any entry on'] as Break
  const [first, second] = storeContract({ open: () => ({ store: openBroken(fault), close }) })
  await first?.run()
  await expect(second?.run()).rejects.toThrow('Expected')
  expect(closed).toBe(2)
})
