/** Copies of a store at each of its changes: what is called of it is noted, and called again of an empty store up to any change. */
import type { Store } from 'troupe'

type Call = (store: Store) => unknown

export interface Recorded {
  readonly store: Store
  /** The number of changes so far. */
  readonly changes: () => number
  /** Makes an empty store what the store was after its first `count` changes. */
  readonly copyTo: (empty: Store, count: number) => Promise<void>
}

/** Leases in copies have run out: a process that restores one comes later. */
export function recorded(store: Store): Recorded {
  const calls: Call[] = []
  const noted = <Answer>(call: (store: Store) => Answer): Answer => {
    calls.push(call)
    return call(store)
  }
  const { memory, config, blobs } = store
  return {
    store: {
      ...store,
      append: (appends) => noted((one) => one.append(structuredClone(appends))),
      claim: (...given) => noted((one) => one.claim(...given)),
      renew: (leases) => noted((one) => one.renew(leases)),
      enqueueSignal: (...given) => noted((one) => one.enqueueSignal(...given)),
      ...(memory && {
        memory: {
          ...memory,
          messages: (id, reading) =>
            reading.runId === undefined
              ? memory.messages(id, reading)
              : noted((one) => (one.memory ?? memory).messages(id, reading)),
          save: (...given) => noted((one) => (one.memory ?? memory).save(...given)),
        },
      }),
      config,
      ...(blobs && {
        blobs: { ...blobs, put: (...given) => noted((one) => (one.blobs ?? blobs).put(...given)) },
      }),
    },
    changes: () => calls.length,
    async copyTo(empty, count) {
      for (const call of calls.slice(0, count)) await call(empty)
    },
  }
}
