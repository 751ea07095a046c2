/** Observers of the user's must not break what they observe: what they throw is logged once and goes no further. */
import { Actor, type AnyActorRef, type Observer, type Subscription } from 'xstate'

/** `observe`, safe to call. Its first throw is logged; it is called again all the same. */
export function shielded<Argument>(
  who: string,
  observe: (argument: Argument) => void,
): (argument: Argument) => void {
  let hasThrown = false
  return (argument) => {
    try {
      observe(argument)
    } catch (error) {
      // oxlint-disable-next-line eslint/no-console -- there is nobody else to tell
      if (!hasThrown) console.error(`troupe: ${who} threw; later throws of it are not shown`, error)
      hasThrown = true
    }
  }
}

type AnyObserver = Partial<Observer<unknown>>
type Listener = (event: unknown) => void

/* oxlint-disable typescript/unbound-method -- both are called with their actor */
const subscribe = Actor.prototype.subscribe as (this: AnyActorRef, observer: AnyObserver) => Subscription
const on = Actor.prototype.on as (this: AnyActorRef, type: string, listener: Listener) => Subscription
/* oxlint-enable typescript/unbound-method */

const safeMethods = {
  subscribe(
    this: AnyActorRef,
    observer: AnyObserver | AnyObserver['next'],
    error?: AnyObserver['error'],
    complete?: AnyObserver['complete'],
  ): Subscription {
    const given: AnyObserver = typeof observer === 'object' ? observer : { next: observer, error, complete }
    return subscribe.call(this, {
      next: shielded('a subscriber', (snapshot) => given.next?.(snapshot)),
      error: shielded('a subscriber', (thrown) => given.error?.(thrown)),
      complete: shielded('a subscriber', () => given.complete?.()) as () => void,
    })
  },
  on(this: AnyActorRef, type: string, listener: Listener): Subscription {
    return on.call(this, type, shielded('a listener', listener))
  },
}

/**
 * Makes `subscribe` and `on` of an actor of a run safe to use. XState lets the process end when an observer throws,
 * and when an actor fails that somebody watches without an error handler.
 */
export function shieldObservers(actor: AnyActorRef): void {
  Object.assign(actor, safeMethods)
}
