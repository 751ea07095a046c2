/** Relays `held` and `released` events of children to their parents, when the delivery that led to them has ended. */
import type { AnyActorRef } from 'xstate'
import { parentOf, statusOf } from '../../actors/xstate-internals.ts'
import type { ChildHeldEvent } from '../../machines/contract/agent.ts'

export class HoldRelay {
  #waiting: { readonly to: AnyActorRef; readonly event: ChildHeldEvent }[] = []

  add(child: AnyActorRef, what: 'held' | 'released'): void {
    const to = parentOf(child)
    if (to !== undefined) this.#waiting.push({ to, event: { type: `child.${what}`, child: child.id } })
  }

  tell(): void {
    while (this.#waiting.length > 0) {
      const waiting = this.#waiting
      this.#waiting = []
      for (const { to, event } of waiting) {
        if (statusOf(to) === 'active') to.send(event)
      }
    }
  }
}
