/** A store as a troupe calls it: a call that it never answers has failed, so that no caller and no `close` waits for it. */
import { ownGetters } from '../../actors/values/own-getters.ts'
import type { Clock } from '../clock.ts'
import type { ScheduleStorage } from './schedule-storage.ts'
import { answered } from '../store-outage.ts'
import type { AppendTimer } from './append-times.ts'
import type { Census } from './census.ts'
import type { LedgerStorage } from '../tenants/ledger-storage.ts'
import type { AppendReport, Store } from './store.ts'

/** A store in memory answers within as many microtasks: such a call takes no timer. */
const atOnce = 8

/** A store may try again for as long, in milliseconds, while its server is away: that is no silence. */
const leastPatience = 30_000

const withStorages = /* @__PURE__ */ ownGetters<Store, { memory: Store['memory']; config: Store['config'] }>({
  memory: (store) => store.memory,
  config: (store) => store.config,
})

/** The store must answer each call within `leaseTtl` milliseconds, and is given 30 seconds at least. `timer`: takes the time of appends. */
export function answeringStore(store: Store, clock: Clock, leaseTtl: number, timer?: AppendTimer): Store {
  const span = Math.max(leaseTtl, leastPatience)
  const ask = <Answer>(call: () => Promise<Answer>): Promise<Answer> => answered(clock, span, call, atOnce)
  const calls: Omit<Store, 'memory' | 'config'> = {
    ...(store.blobs === undefined ? {} : { blobs: store.blobs }),
    ...(store.ledger === undefined ? {} : { ledger: answeringLedger(store.ledger, ask) }),
    ...(store.schedules === undefined ? {} : { schedules: answeringSchedules(store.schedules, ask) }),
    ...(store.compact === undefined ? {} : { compact: async () => store.compact?.() }),
    ...(store.census === undefined
      ? {}
      : { census: (options) => ask(async () => store.census?.(options) as Promise<Census>) }),
    ...(store.schedule === undefined ? {} : { schedule: (flush) => store.schedule?.(flush) }),
    ...(store.subscribe === undefined
      ? {}
      : { subscribe: (listener) => store.subscribe?.(listener) as () => void }),
    ...(store.redact === undefined ? {} : { redact: (entry) => store.redact?.(entry) ?? entry }),
    append(given) {
      const asked = (): ReturnType<Store['append']> => store.append(given)
      const stored = timer === undefined ? asked() : timer.time(asked)
      return isThenable(stored) ? ask(async () => stored) : stored
    },
    read: (...given) => ask(() => store.read(...given)),
    list: (name, filter) => ask(() => store.list(name, filter)),
    delete: (...given) => ask(() => store.delete(...given)),
    claim: (...given) => ask(() => store.claim(...given)),
    renew: (...given) => ask(() => store.renew(...given)),
    enqueueSignal: (...given) => ask(() => store.enqueueSignal(...given)),
  }
  return withStorages(calls, store)
}

function answeringLedger(
  ledger: LedgerStorage,
  ask: <Answer>(call: () => Promise<Answer>) => Promise<Answer>,
): LedgerStorage {
  return {
    reserve: (reservation) => ask(() => ledger.reserve(reservation)),
    release: (...given) => ask(() => ledger.release(...given)),
    sums: (...given) => ask(() => ledger.sums(...given)),
  }
}

type AskStore = <Answer>(call: () => Promise<Answer>) => Promise<Answer>

function answeringSchedules(schedules: ScheduleStorage, ask: AskStore): ScheduleStorage {
  return {
    list: (filter) => ask(() => schedules.list(filter)),
    next: (filter) => ask(() => schedules.next(filter)),
    write: (...given) => ask(() => schedules.write(...given)),
    remove: (key) => ask(() => schedules.remove(key)),
    ended: (expiry) => ask(() => schedules.ended(expiry)),
  }
}

/** A store may return any value that is no promise. */
function isThenable(
  stored: AppendReport | void | Promise<AppendReport | void>,
): stored is Promise<AppendReport | void> {
  return typeof (stored as { readonly then?: unknown } | null | undefined)?.then === 'function'
}
