/** The subscription of one part of a troupe to the changes of its store. Without it, and besides it, the part polls. */
import { aFunction } from '../../actors/strict/checks.ts'
import { inContextHere, noContext } from '../async-context.ts'
import type { Reporter } from '../report.ts'
import { subscribed } from '../subscribed.ts'
import { reportedListener } from './change-listeners.ts'
import type { RunStore, StoreListener } from './store.ts'

export interface StoreSubscriptionOptions {
  readonly store: Pick<RunStore, 'subscribe'>
  readonly report: Reporter
}

export class StoreSubscription {
  readonly #options: StoreSubscriptionOptions
  readonly #listener: StoreListener
  #end: (() => void) | undefined

  constructor(options: StoreSubscriptionOptions, listener: StoreListener) {
    this.#options = options
    this.#listener = listener
  }

  get isOpen(): boolean {
    return this.#end !== undefined
  }

  /** Changes nothing where it is open, or where the store has no `subscribe`. */
  open(): void {
    const { store, report } = this.#options
    if (this.isOpen || store.subscribe === undefined) return
    this.#end = noContext.run(() =>
      subscribed(
        () => store.subscribe?.(this.#listener),
        (error) =>
          report({
            message: 'the store cannot tell of changes; it is polled',
            code: 'STORE_SUBSCRIPTION_FAILED',
            where: 'store',
            error,
          }),
      ),
    )
  }

  close(): void {
    this.#end?.()
    this.#end = undefined
  }
}

interface CallerOptions extends StoreSubscriptionOptions {
  /** Fires when the subscription ends by itself. Default: it does not. */
  readonly closing?: AbortSignal
}

/**
 * Subscribes to the changes of a store for a caller of the library. Returns the function that ends this: the listener is not
 * called any more, whatever the store does. Throws a `ConfigurationError` for a listener that is no function.
 */
export function subscribeTo(options: CallerOptions, listener: StoreListener): () => void {
  aFunction(listener, 'subscribe: the listener')
  const { report, closing } = options
  const told = inContextHere(reportedListener(listener, report))
  const left = new AbortController()
  const subscription = new StoreSubscription(options, (runId, change) => {
    if (!left.signal.aborted) told(runId, change)
  })
  const leave = (): void => {
    left.abort()
    closing?.removeEventListener('abort', leave)
    subscription.close()
  }
  closing?.addEventListener('abort', leave)
  subscription.open()
  return leave
}
