/** Makes observers of the application safe: their errors are reported and do not reach the observed actor. */
import type { AnyActorRef, InspectionEvent, Observer, Subscription } from 'xstate'
import { toErrorData } from '../../errors.ts'
import { settled, type Problem, type Reporter } from '../report.ts'

/** The place of an actor in its run, as problems report it. */
export type Place = Pick<Problem, 'runId' | 'agent' | 'path'>

/** Returns `observe`, safe to call. An error that consecutive calls repeat is reported once. */
export function safely<Argument>(
  who: string,
  observe: (argument: Argument) => unknown,
  report: Reporter,
  place: () => Place = () => ({}),
): (argument: Argument) => void {
  let last: string | undefined
  const failed = (error: unknown): void => {
    const { name, message: text } = toErrorData(error)
    const told = `${name}: ${text}`
    if (told === last) return
    last = told
    const message = `${who} threw; the same error is not reported again`
    report({ message, code: 'OBSERVER_THREW', where: 'observer', error, ...place() })
  }
  return (argument) => {
    try {
      settled(observe(argument), failed)
    } catch (error) {
      failed(error)
    }
  }
}

/** An inspector that is safe to call: an error of one would fail the step that it is shown. */
export function safeInspector(
  { next }: Observer<InspectionEvent>,
  report: Reporter,
  place: () => Place,
): Observer<InspectionEvent> {
  return { next: safely('an inspector', (event: InspectionEvent) => next?.(event), report, place) }
}

type AnyObserver = Partial<Observer<unknown>>
type Listener = (event: unknown) => unknown

/** The methods of an actor before they are made safe. */
interface Observed {
  subscribe(observer: AnyObserver): Subscription
  on(type: string, listener: Listener): Subscription
}

function methodsOf(actor: AnyActorRef): Observed {
  return Object.getPrototypeOf(actor) as Observed
}

/**
 * Makes `subscribe` and `on` of actors of a run safe to use. XState lets the process end when an observer throws, and
 * when an actor fails that has a subscriber without an error handler.
 */
export function safeObservers(
  report: Reporter,
  placeOf: (actor: AnyActorRef) => Place,
): (actor: AnyActorRef) => void {
  const safe = <Argument>(who: string, actor: AnyActorRef, observe: (argument: Argument) => unknown) =>
    safely(who, observe, report, () => placeOf(actor))
  const safeMethods = {
    subscribe(
      this: AnyActorRef,
      observer: AnyObserver | AnyObserver['next'],
      error?: AnyObserver['error'],
      complete?: AnyObserver['complete'],
    ): Subscription {
      const given: AnyObserver = typeof observer === 'object' ? observer : { next: observer, error, complete }
      return methodsOf(this).subscribe.call(this, {
        next: safe('a subscriber', this, (snapshot) => given.next?.(snapshot)),
        error: safe('a subscriber', this, (thrown) => given.error?.(thrown)),
        complete: safe('a subscriber', this, () => given.complete?.()) as () => void,
      })
    },
    on(this: AnyActorRef, type: string, listener: Listener): Subscription {
      return methodsOf(this).on.call(this, type, safe('a listener', this, listener))
    },
  }
  return (actor) => void Object.assign(actor, safeMethods)
}
