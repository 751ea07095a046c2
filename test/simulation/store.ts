/**
 * The one store of the world as a process sees it: each operation takes effect some time after it was asked for, and is
 * answered some time after that. It may fail before it takes effect, and after, or never be answered. An operation of a
 * process that has ended may still take effect.
 */
import { StoreError, type JournalAppend, type WholeStore } from 'troupe'
import type { StoreWitness } from './checks/store-witness.ts'
import type { SimulatedProcess } from './process.ts'
import type { Hints } from './hints.ts'
import type { Random } from './random.ts'
import type { Scheduler } from './scheduler.ts'

export interface StoreSettings {
  readonly mode: 'async' | 'sync'
  /** Whether the appends of one turn are gathered. */
  readonly gathers: boolean
  /** How often an operation fails. */
  failures: number
  readonly slowness: number
}

export interface SimulatedStoreOptions {
  readonly base: WholeStore
  readonly process: SimulatedProcess
  readonly scheduler: Scheduler
  readonly random: Random
  readonly witness: StoreWitness
  readonly settings: StoreSettings
  readonly hints: Hints
  /** Whether its schedules are as far away as its runs. Default: they are at hand. */
  readonly hasFarSchedules?: true
}

type Operation = (...args: readonly unknown[]) => unknown
type Failure = 'before' | 'after' | 'silent' | undefined

export function simulatedStore(options: SimulatedStoreOptions): WholeStore {
  const link = new StoreLink(options)
  const { base, hasFarSchedules, hints, process, settings } = options
  return {
    ...link.wrap(base, ''),
    append: (appends) => link.append(appends),
    subscribe: (listener) => hints.subscribe(process, listener),
    ...(settings.gathers && { schedule: (flush) => link.schedule(flush) }),
    memory: link.wrap(base.memory, 'memory.'),
    config: link.wrap(base.config, 'config.'),
    ...(hasFarSchedules && base.schedules && { schedules: link.wrap(base.schedules, 'schedules.') }),
  }
}

const never = (): Promise<never> => new Promise(() => undefined)

class StoreLink {
  readonly #options: SimulatedStoreOptions

  constructor(options: SimulatedStoreOptions) {
    this.#options = options
  }

  /** All methods of a part of the store, whichever it has. */
  wrap<Part extends object>(part: Part, prefix: string): Part {
    const wrapped: [string, unknown][] = Object.entries(part).map(([name, value]) => [
      name,
      typeof value === 'function'
        ? (...args: readonly unknown[]) => this.#ask(`${prefix}${name}`, args, value as Operation)
        : value,
    ])
    return Object.fromEntries(wrapped) as Part
  }

  schedule(flush: () => void): void {
    const { process, random, scheduler } = this.#options
    scheduler.after(random.pick([0, 0, 1]), process, 'flush', flush)
  }

  append(appends: readonly JournalAppend[]): ReturnType<WholeStore['append']> {
    const { base, process, settings } = this.#options
    // What another process reads is what was written, and not the same object.
    const written = appends.map((append) => deepFrozen(JSON.parse(JSON.stringify(append)) as JournalAppend))
    const apply = (): unknown => base.append(written)
    if (settings.mode === 'async') {
      return this.#ask('append', [written], apply) as ReturnType<WholeStore['append']>
    }
    if (!process.does('append')) return never()
    const failure = this.#failure(false)
    if (failure === 'before') throw this.#failed('append', failure)
    const report = this.#apply('append', [written], apply)
    if (!process.does('has appended')) return never()
    if (failure === 'after') throw this.#failed('append', failure)
    this.#options.witness.answered(process, 'append', [written], report)
    return report as ReturnType<WholeStore['append']>
  }

  #ask(name: string, args: readonly unknown[], operation: Operation): Promise<unknown> {
    const { process, scheduler, random, witness } = this.#options
    if (!process.does(name)) return never()
    witness.asked(process, name, args)
    const failure = this.#failure(isBounded(name))
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const refuse = (): void => reject(this.#failed(name, failure))
    if (failure === 'silent') scheduler.note(process.name, `${name} is NEVER answered`)
    const isLost = failure === 'silent' && random.chance(0.5)
    const answer = (result: unknown): void => {
      if (failure === 'silent') return
      scheduler.after(this.#latency(), process, `${name} is answered`, () => {
        if (failure === 'after') return refuse()
        witness.answered(process, name, args, result)
        resolve(result)
      })
    }
    // On its way it does not know of the end of the process, unless it never left.
    const wire = { name: `${process.name} ${name}`, stalledUntil: 0, isGone: false }
    const isLostWithProcess = random.chance(0.5)
    const arrive = (): void => {
      if (isLost || (process.isGone && isLostWithProcess)) return
      if (failure === 'before') {
        scheduler.after(this.#latency(), process, `${name} is refused`, refuse)
        return
      }
      const result = this.#apply(name, args, operation)
      if (result instanceof Promise) {
        void result.then(answer, (error: unknown) => {
          scheduler.after(this.#latency(), process, `${name} is refused`, () => reject(error))
        })
      } else answer(result)
    }
    scheduler.after(this.#latency(), wire, 'takes effect', arrive)
    return promise
  }

  #apply(name: string, args: readonly unknown[], operation: Operation): unknown {
    const result = operation(...args)
    if (result instanceof Promise) {
      return result.then((value: unknown) => {
        this.#applied(name, args, value)
        return value
      })
    }
    this.#applied(name, args, result)
    return result
  }

  #applied(name: string, args: readonly unknown[], result: unknown): void {
    const { hints, process, witness } = this.#options
    witness.applied(process, name, args, result)
    if (name === 'enqueueSignal' && result === 'accepted') hints.tell(args[0] as string, 'signals')
    if (name !== 'append') return
    const appends = args[0] as readonly JournalAppend[]
    for (const runId of new Set(appends.map((append) => append.runId))) hints.tell(runId, 'entries')
  }

  #failure(mayBeSilent: boolean): Failure {
    const { random, settings } = this.#options
    if (!random.chance(settings.failures)) return undefined
    return random.pick(mayBeSilent ? ['before', 'after', 'silent'] : ['before', 'after'])
  }

  #failed(name: string, failure: Failure): StoreError {
    const { process, random, scheduler } = this.#options
    const code = random.chance(0.5) ? 'STORE_BUSY' : 'STORE_FULL'
    scheduler.note(process.name, `${name} FAILS ${failure} it took effect (${code})`)
    return new StoreError(`The simulated store failed ${failure} it had taken effect.`, { code })
  }

  #latency(): number {
    const { random, settings } = this.#options
    const kind = random.next()
    if (kind < 0.6) return 0
    if (kind < 0.95) return random.below(5) * settings.slowness
    return random.below(kind < 0.995 ? 50 : 600) * settings.slowness
  }
}

/** Whether a troupe gives up a call that is not answered. Calls of memory and configuration are effects, with deadlines of their own. */
function isBounded(name: string): boolean {
  return !name.includes('.')
}

function deepFrozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const part of Object.values(value)) deepFrozen(part)
  return Object.freeze(value)
}
