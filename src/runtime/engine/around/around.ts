/**
 * Wrappers around effects that are performed. They observe: an effect is performed once whatever a wrapper does, and its
 * outcome is delivered at once. A wrapper that calls `perform` in a context of its own, for example of an
 * `AsyncLocalStorage`, has the effect performed within that context.
 */
import { deepFreeze } from '../../../actors/values/frozen.ts'
import { CancelledError } from '../../../errors.ts'
import { nextTask } from '../../../actors/values/order.ts'
import type { Clock } from '../../clock.ts'
import type { ObservedEffect } from './observed-effect.ts'
import type { ModelReply } from '../../../actors/chat-model.ts'
import { bare } from '../../../actors/messages/provider-data.ts'

/**
 * Called with each effect that is performed, never with one that is replayed. `perform` performs the effect at its first
 * call, and resolves, or rejects, with the outcome at each. Where the run lets go of an effect whose code goes on all the same,
 * it rejects with the reason. The value that the wrapper returns is ignored.
 */
export type Around = (effect: ObservedEffect, perform: () => Promise<unknown>) => unknown

/** The wrappers of one effect. */
export interface Surroundings {
  /** The first one is the outermost. */
  readonly wrappers: readonly Around[]
  readonly effect: ObservedEffect
  /** Milliseconds that each wrapper may take before it calls `perform`; 0: it must call `perform` at once. */
  readonly timeout: number
  readonly clock: Clock
  /** Fires when the run has let go of the effect: then it is not begun any more, and is over for its wrappers. */
  readonly signal: AbortSignal
  /** Reports a wrapper that throws, or that does not call `perform`. */
  readonly report: (problem: string, error: unknown) => void
}

/** Performs the effect within its wrappers. */
export function performAround<Outcome>(
  surroundings: Surroundings,
  act: () => Promise<Outcome>,
): Promise<Outcome> {
  const outcome = Promise.withResolvers<Outcome>()
  const performed = new PerformedOnce(act, outcome)
  const begin = surroundings.wrappers.reduceRight<() => void>(
    (inner, wrapper) => () => new Layer(surroundings, wrapper, performed, inner).run(),
    () => performed.begin(),
  )
  begin()
  return outcome.promise
}

/** The effect, which begins once, or never. */
class PerformedOnce<Outcome> {
  readonly #act: () => Promise<Outcome>
  readonly #outcome: PromiseWithResolvers<Outcome>
  #hasBegun = false
  #failure: unknown

  constructor(act: () => Promise<Outcome>, outcome: PromiseWithResolvers<Outcome>) {
    this.#act = act
    this.#outcome = outcome
  }

  get outcome(): Promise<Outcome> {
    return this.#outcome.promise
  }

  begin(): void {
    if (this.#hasBegun) return
    this.#hasBegun = true
    this.#act().then(
      (value) => this.#outcome.resolve(deepFreeze(value)),
      (error: unknown) => this.#fail(error),
    )
  }

  /** The run has let go of the effect before it began. */
  drop(): void {
    if (this.#hasBegun) return
    this.#hasBegun = true
    this.#fail(new CancelledError())
  }

  /** Whether the effect has failed with this error. */
  isFailure(error: unknown): boolean {
    return this.#failure !== undefined && error === this.#failure
  }

  #fail(error: unknown): void {
    this.#failure = error
    this.#outcome.reject(error)
  }
}

/** One wrapper around one effect. It ends when the wrapper has called `perform`, or is passed over. */
class Layer<Outcome> {
  readonly #surroundings: Surroundings
  readonly #wrapper: Around
  readonly #performed: PerformedOnce<Outcome>
  readonly #inner: () => void
  #isOver = false
  #callOff: () => void = () => undefined

  constructor(
    surroundings: Surroundings,
    wrapper: Around,
    performed: PerformedOnce<Outcome>,
    inner: () => void,
  ) {
    this.#surroundings = surroundings
    this.#wrapper = wrapper
    this.#performed = performed
    this.#inner = inner
  }

  run(): void {
    const { effect } = this.#surroundings
    let given: unknown
    let isPending: boolean
    try {
      given = this.#wrapper(effect, () => {
        this.#goOn()
        const { signal } = this.#surroundings
        const seen = untilLetGo(this.#performed.outcome, signal, (outcome) => plainOutcome(effect, outcome))
        return ObservedPromise.of(seen, (error) => this.#reportOwn(error))
      })
      isPending = isThenable(given) // its getter may throw
    } catch (error) {
      this.#threw(error)
      return
    }
    if (!isPending) return this.#ended()
    Promise.resolve(given).then(
      () => this.#ended(),
      (error: unknown) => this.#threw(error),
    )
    if (!this.#isOver) this.#wait()
  }

  #goOn(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#callOff()
    this.#inner()
  }

  #threw(error: unknown): void {
    this.#reportOwn(error)
    this.#goOn()
  }

  /** The error of the effect itself is its outcome, which the run receives; that of its end is the run's own. */
  #reportOwn(error: unknown): void {
    const { signal, report } = this.#surroundings
    const isOfEnd = signal.aborted && error === signal.reason
    if (!isOfEnd && !this.#performed.isFailure(error)) report('threw', error)
  }

  #ended(): void {
    if (this.#isOver) return
    this.#passOver('ended without a call of perform()')
  }

  #passOver(problem: string): void {
    this.#surroundings.report(problem, new Error(`around ${problem}: the effect is performed without it.`))
    this.#goOn()
  }

  #wait(): void {
    const { timeout, clock, signal } = this.#surroundings
    if (timeout === 0) return this.#passOver('did not call perform() at once')
    const drop = (): void => {
      this.#isOver = true
      this.#callOff()
      this.#performed.drop()
    }
    const stopClock = clock.after(timeout, () =>
      this.#passOver(`did not call perform() within ${timeout} ms`),
    )
    signal.addEventListener('abort', drop, { once: true })
    this.#callOff = () => {
      stopClock()
      signal.removeEventListener('abort', drop)
    }
    if (signal.aborted) drop()
  }
}

// The end of an effect as its wrappers see it, for code that does not listen to its signal: a span of it must end
// too.

/**
 * The outcome, as `see` shows it; rejects with the reason of the signal where it has not come when the run lets go of the effect.
 * Code that listens has time to end in its own way. A wrapper learns of an outcome no later than the run: nothing is awaited.
 */
function untilLetGo<Outcome, Seen>(
  outcome: Promise<Outcome>,
  signal: AbortSignal,
  see: (outcome: Outcome) => Seen,
): Promise<Seen> {
  const { promise, resolve, reject } = Promise.withResolvers<Seen>()
  const onAbort = (): void => nextTask(() => reject(signal.reason))
  const release = (): void => signal.removeEventListener('abort', onAbort)
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  const follow = async (): Promise<void> => {
    try {
      resolve(see(await outcome))
    } catch (error) {
      reject(error)
    } finally {
      release()
    }
  }
  void follow()
  return promise
}

/** Returns the outcome; the reply of a model without the data of its provider. */
function plainOutcome<Outcome>({ kind }: ObservedEffect, outcome: Outcome): Outcome {
  return kind === 'model' ? bare(outcome as Outcome & ModelReply) : outcome
}

/** A promise whose rejection, and that of each promise that derives from it, never ends the process. */
class ObservedPromise<Value> extends Promise<Value> {
  #isHandled = false
  #report: (error: unknown) => void = () => undefined

  /** `report`: receives the rejections that nothing handles. */
  static of<Value>(promise: Promise<Value>, report: (error: unknown) => void): ObservedPromise<Value> {
    const observed = new ObservedPromise<Value>((resolve) => resolve(promise))
    observed.#observe(report)
    return observed
  }

  // oxlint-disable-next-line unicorn/no-thenable -- a promise is one
  override then<Fulfilled = Value, Rejected = never>(
    onFulfilled?: ((value: Value) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    this.#isHandled = true
    const derived = super.then(onFulfilled, onRejected)
    if (derived instanceof ObservedPromise) derived.#observe(this.#report)
    return derived
  }

  #observe(report: (error: unknown) => void): void {
    this.#report = report
    void super.then(undefined, (error: unknown) => nextTask(() => this.#isHandled || report(error)))
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function'
}
