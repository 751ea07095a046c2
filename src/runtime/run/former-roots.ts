/**
 * The root actors that a run had before it left memory. An app that holds one, or observes it, learns the end of the run from
 * it, as from the present one.
 */
import type { AnyActorRef } from 'xstate'
import { isObserved, statusOf } from '../../actors/xstate-internals.ts'
import type { RunRootEvent } from '../state/run-logic.ts'

export class FormerRoots {
  #roots: WeakRef<AnyActorRef>[] = []
  /** Nothing else may hold an actor that is observed: its subscribers wait for the end of the run. */
  readonly #observed = new Set<AnyActorRef>()

  add(added: AnyActorRef): void {
    const others = this.#roots.filter((known) => known.deref() !== undefined && known.deref() !== added)
    this.#roots = [...others, new WeakRef(added)]
    if (isObserved(added)) this.#observed.add(added)
  }

  tell(event: RunRootEvent): void {
    for (const root of this.#roots) tellRoot(root.deref(), event)
    this.#observed.clear()
  }
}

/** Tells a root the end of its run. */
export function tellRoot(root: AnyActorRef | undefined, event: RunRootEvent): void {
  if (root === undefined || statusOf(root) !== 'active') return
  root.subscribe({}) // XState ends the process when an actor without subscribers fails
  root.send(event)
}
