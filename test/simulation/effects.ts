/** Calls of tools, models and hooks in a process: they take time, and are answered later, or never. */
import type { EffectWitness } from './checks/effect-witness.ts'
import type { SimulatedProcess } from './process.ts'
import type { Random } from './random.ts'
import type { Scheduler } from './scheduler.ts'

export interface OutsideOptions {
  readonly process: SimulatedProcess
  readonly scheduler: Scheduler
  readonly random: Random
  readonly witness: EffectWitness
  readonly slowness: number
  /** How often code of the user throws. */
  readonly errors: () => number
}

export interface Call {
  readonly kind: 'tool' | 'model' | 'hook'
  readonly runId: string
  /** The same on every attempt. */
  readonly key: string
  readonly signal?: AbortSignal
  /** The call of the tool does not end with this, or is made again once a person has answered. */
  readonly isRepeated?: boolean
}

export class Outside {
  readonly #options: OutsideOptions
  readonly #attempts = new Map<string, number>()

  constructor(options: OutsideOptions) {
    this.#options = options
  }

  /** How often code of the user throws, from 0 to 1. */
  get errors(): number {
    return this.#options.errors()
  }

  /** What a model is shown. */
  shown(runId: string, messages: string): void {
    this.#options.witness.shown(runId, messages)
  }

  /** Answers with what `act` gives, some time later. What it decides depends on the seed, the call and the attempt alone. */
  call<T>({ kind, runId, key, signal, isRepeated = false }: Call, act: (random: Random) => T): Promise<T> {
    const { process, scheduler, witness, random: world } = this.#options
    if (!process.does(`${kind} ${key}`)) return new Promise(() => undefined)
    witness.started(process, kind, runId, key)
    const attempt = (this.#attempts.get(key) ?? 0) + 1
    this.#attempts.set(key, attempt)
    const random = world.stream(`${process.name} ${key} ${attempt}`)
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const duration = this.#duration(random)
    const endsAt = scheduler.now + duration
    /** A call that is aborted because its process drains would have ended in time. */
    const noteEnd = (): void => {
      if (kind !== 'tool' || isRepeated || isUnwanted(signal) || !witness.ended(process, key, endsAt)) return
      scheduler.note(process.name, `${key} ends while its process drains`)
    }
    const callOff = scheduler.after(duration, process, `${kind} ${key} is answered`, () => {
      try {
        resolve(act(random))
        noteEnd()
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)))
      }
    })
    // Some heed it, some do not.
    if (random.chance(0.7)) {
      const abort = (): void => {
        callOff()
        noteEnd()
        reject(new Error('aborted'))
      }
      signal?.addEventListener('abort', abort, { once: true })
    }
    return promise
  }

  #duration(random: Random): number {
    const { slowness } = this.#options
    const kind = random.next()
    if (kind < 0.3) return 0
    if (kind < 0.8) return random.below(30) * slowness
    return random.below(kind < 0.97 ? 300 : 2_500) * slowness
  }
}

/** Whether the run does not want the call any more; a process that lets go of the run does. */
function isUnwanted(signal: AbortSignal | undefined): boolean {
  if (signal?.aborted !== true) return false
  return (signal.reason as { readonly code?: string } | undefined)?.code !== 'TROUPE_CLOSED'
}
