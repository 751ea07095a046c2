/** The dry forks of an inspector: found by their ids, in no list, and gone with it. */
import {
  ConfigurationError,
  type ForkOptions,
  type OnError,
  type RunService,
  RunNotFoundError,
} from '../../index.ts'
import type { OutlineLimits } from '../../kit/index.ts'
import {
  type DryFork,
  type DryFunctions,
  type DryHost,
  dryFork,
  dryHostOf,
  outlined,
  type ScriptedOutcome,
} from '../../kit/host.ts'
import type { DryState, HeldEffect } from '../wire/dry.ts'

/** The most forks that are kept: the oldest goes. */
const most = 20

const limits: OutlineLimits = { text: 20_000, items: 400, depth: 40, values: 20_000 }

export class DryRuns {
  readonly #forks = new Map<string, DryFork>()
  readonly #host: DryHost
  readonly #onError: OnError | undefined

  constructor(host: DryHost, onError?: OnError) {
    this.#host = host
    this.#onError = onError
  }

  /** Resolves with the id of the fork. A dry fork may be forked too. Rejects as `fork` of a troupe does. */
  async begin(runId: string, fork: ForkOptions, functions: DryFunctions): Promise<string> {
    const origin = this.#forks.get(runId)
    const host = (origin && dryHostOf(origin.troupe)) ?? this.#host
    const onError = this.#onError
    const begun = await dryFork(host, runId, {
      fork,
      functions,
      ...(onError === undefined ? {} : { onError }),
    })
    this.#forks.set(begun.run.id, begun)
    const [oldest] = this.#forks.keys()
    if (this.#forks.size > most && oldest !== undefined) await this.end(oldest)
    return begun.run.id
  }

  has(runId: string): boolean {
    return this.#forks.has(runId)
  }

  /** The run that a run comes from by dry forks alone, for whom both are shown or not: itself, where it is none. */
  originOf(runId: string): string {
    const fork = this.#forks.get(runId)
    return fork === undefined ? runId : this.originOf(fork.origin)
  }

  /** `undefined`: the run is no dry fork. */
  stateOf(runId: string): DryState | undefined {
    const fork = this.#forks.get(runId)
    if (fork === undefined) return undefined
    const held = fork.questions.open.map((question): HeldEffect => {
      const { value: input, isCut } = outlined(question.input, limits)
      return { ...question, input: input ?? null, ...(isCut ? { isCut } : {}) }
    })
    return { origin: fork.origin, functions: fork.functions, held }
  }

  /** Whether the outcome of an effect was given. */
  isScripted(runId: string, key: string | undefined): boolean {
    return key !== undefined && this.#forks.get(runId)?.questions.scripted.has(key) === true
  }

  /** Calls back when the questions of a dry fork have changed. */
  subscribe(runId: string, listener: () => void): (() => void) | undefined {
    return this.#forks.get(runId)?.questions.subscribe(listener)
  }

  /** Throws a `RunNotFoundError`, and a `ConfigurationError` as `answer` of a dry fork. */
  answer(runId: string, key: string, outcome: ScriptedOutcome): void {
    const fork = this.#forks.get(runId)
    if (fork === undefined) throw new RunNotFoundError(runId)
    fork.answer(key, outcome)
  }

  async end(runId: string): Promise<void> {
    const fork = this.#forks.get(runId)
    this.#forks.delete(runId)
    await fork?.close()
  }

  async close(): Promise<void> {
    await Promise.all([...this.#forks.keys()].map((runId) => this.end(runId)))
  }

  /** The service with the dry forks: a call that names one goes to it. Its lists are as they were. */
  over<Service extends RunService>(service: Service): Service {
    const of = (runId: string | undefined): RunService =>
      (runId === undefined ? undefined : this.#forks.get(runId)?.troupe) ?? service
    const own: Partial<RunService> = {
      runs: (filter) => of(filter?.runId).runs(filter),
      awaiting: (filter) => of(filter?.runId).awaiting(filter),
      journal: (runId, options) => of(runId).journal(runId, options),
      history: (runId) => of(runId).history(runId),
      trail: (runId, options) => of(runId).trail(runId, options),
      replay: (runId) => of(runId).replay(runId),
      watch: (runId, options) => of(runId).watch(runId, options),
      signal: (runId, signal) => of(runId).signal(runId, signal),
      cancel: (runId, reason, options) => of(runId).cancel(runId, reason, options),
      delete: (runId) => (this.has(runId) ? this.end(runId) : service.delete(runId)),
      subscribe: (listener) => {
        const ends = [service.subscribe?.(listener)]
        for (const { troupe } of this.#forks.values()) ends.push(troupe.subscribe(listener))
        return () => ends.forEach((end) => end?.())
      },
    }
    if (service.fork !== undefined)
      own.fork = async (runId, ...rest) => {
        if (!this.has(runId) && service.fork !== undefined) return service.fork(runId, ...rest)
        throw new ConfigurationError('fork: a dry fork was made up, and can be forked dry alone.')
      }
    return Object.assign(Object.create(service) as Service, own)
  }
}
