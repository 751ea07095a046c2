/** Cases about async contexts: callers of a store are requests, and each has one. A platform without storages passes them. */
import { asyncStorage } from '../../runtime/async-context.ts'
import type { Store } from '../../runtime/journal/store.ts'
import { expectEqual } from '../contract/check.ts'
import { appends, fired } from './entries.ts'
import { plans } from './plan.ts'

/** A caller, and the run and the thread that it asks for. */
interface Caller {
  readonly name: string
}

const callers: readonly Caller[] = ['ann', 'bob', 'cyd', 'dan'].map((name) => ({ name }))

/** Calls that several callers make at the same time. A store that answers an append at once calls nobody back. */
const calls: Readonly<Record<string, (store: Store, name: string) => unknown>> = {
  append: (store, name) => store.append(appends(name, [fired(1)])),
  read: (store, name) => store.read(name),
  list: (store, name) => store.list({ runId: name }),
  awaiting: (store, name) => store.awaiting({ runId: name }),
  claim: (store, name) => store.claim(name, 'me', 0, 1_000),
  enqueueSignal: (store, name) => store.enqueueSignal(name, { type: 'cancel' }),
  queuedSignals: (store, name) => store.queuedSignals([name]),
  'memory.save': (store, name) => store.memory.save(name, [{ id: name, at: 1, role: 'user', content: name }]),
  'memory.messages': (store, name) => store.memory.messages(name),
  'memory.setWorkingMemory': (store, name) => store.memory.setWorkingMemory(name, name),
  'memory.workingMemory': (store, name) => store.memory.workingMemory(name),
  'config.items': (store) => store.config.items('agent'),
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
      await answer.then(() => {
        if (storage.getStore() !== caller) strangers.push(call)
      })
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
