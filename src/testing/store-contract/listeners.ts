/**
 * Cases about who is called back. A store may tell listeners of changed runs; one without `subscribe` passes these cases.
 * Callers are requests with async contexts of their own; a platform without `AsyncLocalStorage` passes that case.
 */
import { asyncStorage } from '../../runtime/async-context.ts'
import type { Store } from '../../runtime/journal/store.ts'
import { expectEqual, expectThat } from '../contract/check.ts'
import { appends, fired } from './entries.ts'
import { plans } from './plan.ts'

type Change = readonly [runId: string, change: 'entries' | 'signals']

/** The most changes that are made until a listener must have been called, and the milliseconds between two of them. */
const [mostChanges, pause] = [400, 25]

/** Makes changes until the listener was called: it may not listen yet, and may miss some. */
async function untilTold(told: readonly unknown[], change: () => unknown): Promise<void> {
  const before = told.length
  for (let made = 0; made < mostChanges; made++) {
    await change()
    if (told.length > before) return
    await new Promise((resolve) => {
      setTimeout(resolve, pause)
    })
    if (told.length > before) return
  }
  expectThat(false, 'a listener to be called')
}

function listen(store: Store): { readonly told: Change[]; readonly stop: () => void } {
  const told: Change[] = []
  const stop = store.subscribe?.((...change) => void told.push(change)) ?? (() => undefined)
  return { told, stop }
}

const append = async (store: Store, runId: string): Promise<void> => {
  await store.append(appends(runId, [fired(1)]))
}

export const listenerPlans = plans('listeners', {
  async 'one is called with the run that has changed and what has changed, and with no other run'({
    store,
    begin,
  }) {
    if (store.subscribe === undefined) return
    await begin('a')
    await begin('b')
    const { told, stop } = listen(store)
    await untilTold(told, () => append(store, 'b'))
    await untilTold(told, () => append(store, 'b'))
    expectEqual(new Set(told.map(String)), new Set(['b,entries']), 'the changes after entries')
    const isSignal = ([, change]: Change): boolean => change === 'signals'
    for (let made = 0; made < mostChanges && !told.some(isSignal); made++)
      await untilTold(told, () => store.enqueueSignal('b', { type: 'cancel' }))
    expectEqual(new Set(told.map(String)), new Set(['b,entries', 'b,signals']), 'the changes after signals')
    stop()
  },

  async 'one that was removed is not called any more, and may be removed twice'({ store, begin }) {
    if (store.subscribe === undefined) return
    await begin('a')
    const [first, second] = [listen(store), listen(store)]
    await untilTold(first.told, () => append(store, 'a'))
    first.stop()
    first.stop()
    const before = first.told.length
    await untilTold(second.told, () => append(store, 'a'))
    expectEqual(first.told.length, before, 'the number of calls of the removed listener')
    second.stop()
  },

  async 'one that throws or rejects keeps a change from no other, and fails no append'({ store, begin }) {
    if (store.subscribe === undefined) return
    await begin('a')
    const failed: string[] = []
    const stops = [
      store.subscribe?.(() => {
        failed.push('throws')
        throw new Error('A listener of the contract throws.')
      }),
      store.subscribe?.(() => {
        failed.push('rejects')
        return Promise.reject(new Error('A listener of the contract rejects.'))
      }),
    ]
    const { told, stop } = listen(store)
    await untilTold(told, () => append(store, 'a'))
    await untilTold(told, () => append(store, 'a'))
    expectEqual(new Set(failed), new Set(['throws', 'rejects']), 'the listeners that failed')
    for (const end of [...stops, stop]) end?.()
  },
})

/** A caller, and the run and the thread that it asks for. */
interface Caller {
  readonly name: string
}

const callers: readonly Caller[] = ['ann', 'bob', 'cyd', 'dan'].map((name) => ({ name }))

/** Calls that several callers make at the same time. A store that answers an append at once calls nobody back. */
const calls: Readonly<Record<string, (store: Store, name: string) => unknown>> = {
  append: (store, name) => store.append(appends(name, [fired(1)])),
  read: (store, name) => store.read(name),
  list: (store, name) => store.list('runs', { runId: name }),
  awaiting: (store, name) => store.list('questions', { runId: name }),
  claim: (store, name) => store.claim(name, 'me', 0, 1_000),
  enqueueSignal: (store, name) => store.enqueueSignal(name, { type: 'cancel' }),
  queuedSignals: (store, name) => store.list('signals', { runIds: [name] }),
  'memory.save': (store, name) =>
    store.memory?.save(name, [{ id: name, at: 1, role: 'user', content: name }]),
  'memory.messages': (store, name) => store.memory?.messages(name, {}),
  'memory.setWorkingMemory': (store, name) => store.memory?.workingMemory(name, name),
  'memory.workingMemory': (store, name) => store.memory?.workingMemory(name),
  'config.items': (store) => store.config?.items('agent'),
}

export const contextPlans = plans('async contexts', {
  async 'callers whose calls share their work are each called back in their own'({ store, begin }) {
    const Storage = asyncStorage()
    if (Storage === undefined) return
    const storage = new Storage()
    for (const { name } of callers) await begin(name)
    const strangers: string[] = []
    const asked = async (caller: Caller, call: string): Promise<void> => {
      // Not `await`: it goes on in the context of its function, whatever the store does.
      const answer = calls[call]?.(store, caller.name)
      if (!isThenable(answer)) return
      const isOwn = await answer.then(() => storage.getStore() === caller)
      if (!isOwn) strangers.push(call)
    }
    for (const call of Object.keys(calls)) {
      await Promise.all(callers.map((caller) => storage.run(caller, () => asked(caller, call))))
    }
    storage.disable()
    expectEqual(strangers, [], 'the calls that called back in the context of another caller')
  },
})

function isThenable(answer: unknown): answer is PromiseLike<unknown> {
  return typeof (answer as { readonly then?: unknown } | null | undefined)?.then === 'function'
}
