/** Observers of the user's must not break what they observe: what they throw is logged and goes no further. */
import { Actor, type AnyActorRef, type Observer, type Subscription } from 'xstate'

export function shield(who: string, observe: () => void): void {
  try {
    observe()
  } catch (error) {
    // oxlint-disable-next-line eslint/no-console -- there is nobody else to tell
    console.error(`troupe: ${who} threw`, error)
  }
}

type AnyObserver = Partial<Observer<unknown>>
type Listener = (event: unknown) => void

/* oxlint-disable typescript/unbound-method -- both are called with their actor */
const subscribe = Actor.prototype.subscribe as (this: AnyActorRef, observer: AnyObserver) => Subscription
const on = Actor.prototype.on as (this: AnyActorRef, type: string, listener: Listener) => Subscription
/* oxlint-enable typescript/unbound-method */

const shielded = {
  subscribe(
    this: AnyActorRef,
    observer: AnyObserver | AnyObserver['next'],
    error?: AnyObserver['error'],
    complete?: AnyObserver['complete'],
  ): Subscription {
    const given: AnyObserver = typeof observer === 'object' ? observer : { next: observer, error, complete }
    return subscribe.call(this, {
      next: (snapshot) => shield('a subscriber', () => given.next?.(snapshot)),
      error: (thrown) => shield('a subscriber', () => given.error?.(thrown)),
      complete: () => shield('a subscriber', () => given.complete?.()),
    })
  },
  on(this: AnyActorRef, type: string, listener: Listener): Subscription {
    return on.call(this, type, (event) => shield('a listener', () => listener(event)))
  },
}

/**
 * Makes `subscribe` and `on` of an actor of a run safe to use. XState lets the process end when an observer throws,
 * and when an actor fails that somebody watches without an error handler.
 */
export function shieldObservers(actor: AnyActorRef): void {
  Object.assign(actor, shielded)
}
