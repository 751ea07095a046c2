/**
 * The epoch of a store: how often it was restored to an earlier point. It stands in the store's configuration, one item an epoch,
 * so that processes that raise it at once come to the same number. A run whose journal names a lower epoch goes on from an earlier
 * point than it had come to.
 */
import type { JsonValue } from '../../actors/values/json.ts'
import { isRecord } from '../../actors/values/json.ts'
import { StoreError } from '../../errors.ts'
import type { Clock } from '../clock.ts'
import { answered, isSilence } from '../store-outage.ts'
import { configNeeded } from '../missing-port.ts'
import type { Reporter } from '../report.ts'
import type { ConfigItem, ConfigStorage } from './config-storage.ts'
import type { RunStarted } from './journal.ts'
import type { Store } from './store.ts'

/** The kind of the items: the key of each is an epoch. A store may mark a copy by another key, until it comes to a new epoch. */
export const epochKind = 'troupe:epoch'

/** Milliseconds that a run waits for the configuration of a store before it begins. */
const patience = 2_000

/** A store in memory answers within as many microtasks: such a call takes no timer. */
const atOnce = 8

type Reason = 'wentBack' | 'restored'

export class Epochs {
  readonly #store: Pick<Store, 'config'>
  readonly #report: Reporter
  readonly #clock: Clock
  #known = 0
  #isRead = false

  constructor(store: Pick<Store, 'config'>, report: Reporter, clock: Clock) {
    this.#store = store
    this.#clock = clock
    this.#report = report
  }

  /** The highest that this process has read. */
  get current(): number {
    return this.#known
  }

  /** The first entry of a run that begins now. */
  begins(started: RunStarted): RunStarted {
    if (this.#known === (started.epoch ?? 0)) return started
    return { ...started, epoch: this.#known }
  }

  /** Reads it once, for runs that begin. */
  async known(): Promise<void> {
    if (!this.#isRead) await this.read()
  }

  /** Reads it. A store that has gone back under this process comes to a new one. */
  async read(): Promise<void> {
    const { config } = this.#store
    if (config === undefined) return
    const items = await this.#items(config)
    if (items === undefined) return
    const found = highest(items)
    const isBack = this.#isRead && found < this.#known
    this.#isRead = true
    if (isBack) await this.wentBack('its epoch is lower than it was')
    else this.#known = found
  }

  /** `undefined`: there is no answer in time. Runs that begin meanwhile have an epoch that is too low: they ask rather than repeat. */
  async #items(config: ConfigStorage): Promise<readonly ConfigItem[] | undefined> {
    try {
      return await answered(this.#clock, patience, () => config.items(epochKind), atOnce)
    } catch (error) {
      if (!isSilence(error)) throw error
      return undefined
    }
  }

  /** A restore under the name of the newest epoch is the same restore. Rejects with `STORE_LACKS_PORT`. */
  async raise(name?: string): Promise<number> {
    const { config } = this.#store
    if (config === undefined) throw configNeeded()
    const items = await config.items(epochKind)
    const found = Math.max(highest(items), this.#known)
    this.#isRead = true
    const newest = items.find(({ key }) => key === String(found))
    const isSame = name !== undefined && isRecord(newest?.value) && newest.value['name'] === name
    if (isSame) this.#known = found
    else await this.#raise(found, 'restored', name)
    return this.#known
  }

  /** The store has lost what this process knows to be durable. */
  async wentBack(what: string): Promise<void> {
    const text = `the store has gone back to an earlier point: ${what}`
    const error = new StoreError(`Since this process works on it, ${text}.`, { code: 'STORE_WENT_BACK' })
    const message = `${text}; calls of the runs that go on from there ask first`
    this.#report({ message, code: 'STORE_WENT_BACK', where: 'store', error })
    await this.#raise(this.#known, 'wentBack')
  }

  async #raise(above: number, why: Reason, name?: string): Promise<void> {
    const { config } = this.#store
    const epoch = above + 1
    const value: JsonValue = { why, ...(name === undefined ? {} : { name }) }
    await config?.set({ kind: epochKind, key: String(epoch), value })
    this.#known = Math.max(this.#known, epoch)
  }
}

function highest(items: readonly ConfigItem[]): number {
  const epochs = items.map(({ key }) => Number(key))
  return Math.max(0, ...epochs.filter((epoch) => Number.isSafeInteger(epoch)))
}
