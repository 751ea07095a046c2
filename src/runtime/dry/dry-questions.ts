/** The questions of a dry fork, and the effects whose outcomes were given. */
import { ConfigurationError } from '../../errors.ts'
import { deepFreeze } from '../../actors/values/frozen.ts'
import type { DryQuestion, ScriptedOutcome } from './contract.ts'

interface Asked {
  readonly question: DryQuestion
  readonly given: PromiseWithResolvers<ScriptedOutcome>
}

export class DryQuestions {
  readonly #asked = new Map<string, Asked>()
  readonly #scripted = new Set<string>()
  readonly #listeners = new Set<() => void>()

  /** Those that wait for an outcome, in their order. */
  get open(): readonly DryQuestion[] {
    return Array.from(this.#asked.values(), ({ question }) => question)
  }

  /** The keys of the effects whose outcomes were given. */
  get scripted(): ReadonlySet<string> {
    return this.#scripted
  }

  /** Calls back when a question was asked, or is open no more. Returns the function that ends this. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Resolves with the outcome that is given. Rejects with the reason of the signal: the run has let go of the effect. */
  async ask(question: DryQuestion, signal: AbortSignal): Promise<ScriptedOutcome> {
    const given = Promise.withResolvers<ScriptedOutcome>()
    const drop = (): void => given.reject(signal.reason)
    signal.addEventListener('abort', drop, { once: true })
    if (signal.aborted) drop()
    this.#asked.set(question.key, { question: deepFreeze(question), given })
    this.#changed()
    try {
      const outcome = await given.promise
      this.#scripted.add(question.key)
      return outcome
    } finally {
      signal.removeEventListener('abort', drop)
      this.#asked.delete(question.key)
      this.#changed()
    }
  }

  /** `check` throws for what is no outcome. Throws a `ConfigurationError` for a question that is not open. */
  answer(key: string, outcome: ScriptedOutcome, check: (question: DryQuestion) => void): void {
    const asked = this.#asked.get(key)
    if (asked === undefined)
      throw new ConfigurationError(`The dry fork does not ask "${key.slice(0, 200)}" at present.`)
    check(asked.question)
    asked.given.resolve(outcome)
  }

  #changed(): void {
    for (const listener of this.#listeners) listener()
  }
}
