/**
 * A process that ends at a point of our choice: before or after an append, before or after an effect. From then on
 * nothing of it goes on: neither its store nor anything outside answers it any more.
 */
import type { Store } from 'troupe'
import type { Clock } from '../../../src/runtime/clock.ts'
import { systemEnvironment, type Environment } from '../../../src/runtime/environment.ts'

/** A new one each time: one alone would hold on to everybody who waits for it. */
const never = (): Promise<never> => new Promise(() => undefined)

export type Ending =
  /** Nothing answers any more. */
  | 'vanishes'
  /** The disk is full, or says so. */
  | 'breaks'
  /** The troupe is closed, and the process goes on. */
  | 'closes'

export class MortalWorld {
  /** How many points were passed: two for each append, two for each effect. */
  points = 0
  /** What was done outside, by name, as often as it was done. */
  readonly performed: string[] = []
  readonly died: Promise<void>
  /** Closes its troupe. */
  close: () => Promise<void> = async () => undefined
  readonly #diesAt: number
  readonly #ending: Ending
  #isDead = false
  readonly #die: () => void
  /** The functions that cancel its timers. */
  readonly #timers = new Set<() => void>()

  /** `diesAt`: from 1. Default: it lives. */
  constructor(diesAt = Number.POSITIVE_INFINITY, ending: Ending = 'vanishes') {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.died = promise
    this.#die = () => {
      if (ending === 'vanishes') for (const cancel of this.#timers) cancel()
      resolve()
    }
    this.#diesAt = diesAt
    this.#ending = ending
  }

  get isDead(): boolean {
    return this.#isDead
  }

  /** It ends now. */
  end(): void {
    this.#isDead = true
    this.#die()
  }

  #endsHere(): boolean {
    if (this.#isDead) return this.#ending !== 'closes'
    this.points++
    if (this.points !== this.#diesAt) return false
    this.#isDead = true
    if (this.#ending === 'closes') {
      void this.close().then(this.#die)
      return false
    }
    this.#die()
    return true
  }

  #unanswered(): Promise<never> {
    if (this.#ending === 'breaks') throw new Error('disk full')
    return never()
  }

  /** The troupe's time as this process has it: no timer fires after its end. */
  environment({ clock, newId }: Environment = systemEnvironment): Environment {
    return { newId, clock: { now: () => clock.now(), after: (...timer) => this.#after(clock, ...timer) } }
  }

  #after(clock: Clock, ...[delay, callback, options]: Parameters<Clock['after']>): () => void {
    if (this.#isDead && this.#ending === 'vanishes') return () => undefined
    const fired = (): void => {
      this.#timers.delete(cancel)
      callback()
    }
    const stop = clock.after(delay, fired, options)
    const cancel = (): void => {
      this.#timers.delete(cancel)
      stop()
    }
    this.#timers.add(cancel)
    return cancel
  }

  /** Something outside of the run: it is noted when it is done. */
  async effect<T>(name: string, act: () => T | Promise<T>): Promise<T> {
    if (this.#endsHere()) return never()
    this.performed.push(name)
    let outcome: { readonly value: T } | { readonly thrown: unknown }
    try {
      outcome = { value: await act() }
    } catch (thrown) {
      outcome = { thrown }
    }
    if (this.#endsHere()) return never()
    if ('thrown' in outcome) throw outcome.thrown
    return outcome.value
  }

  /** The store as this process sees it. Leases of processes before it have run out. */
  store(inner: Store): Store {
    const whileAlive = <T>(answer: () => Promise<T>): Promise<T> =>
      this.#isDead && this.#ending === 'vanishes' ? never() : answer()
    return {
      ...inner,
      append: (appends) => {
        if (this.#endsHere()) return this.#unanswered()
        const report = inner.append(appends)
        return this.#endsHere() ? this.#unanswered() : report
      },
      read: (runId, from) => whileAlive(() => inner.read(runId, from)),
      list: (name, filter) => whileAlive(() => inner.list(name, filter)),
      claim: (runId, owner, _now, expiresAt) =>
        whileAlive(() => inner.claim(runId, owner, Number.MAX_VALUE, expiresAt)),
      renew: (leases) => whileAlive(() => inner.renew(leases)),
      enqueueSignal: (...args) => whileAlive(() => inner.enqueueSignal(...args)),
    }
  }
}
