/**
 * A run whose agents are not all in one place: what it tells the run that it is a part of, and what it hears of
 * subagents that run elsewhere.
 */
import { below, effectKey } from '../../actors/actor-path.ts'
import type { AnyActorRef } from 'xstate'
import { statusOf } from '../../actors/xstate-internals.ts'
import type { AwaitedSignal, EventPayloads } from '../../machines/contract/events.ts'
import type { Subrun } from './engine-options.ts'
import type { Signal } from '../journal/journal.ts'
import { actorAt } from '../actor-source.ts'
import type { PendingEffect } from './effects/pending-effect.ts'

type Heard = Extract<Signal, { readonly type: 'held' | 'released' }>

export class RemoteAgents {
  readonly #part: Subrun | undefined
  /** Whether the root agent waits for people alone, and whether that was told. */
  #isHeld = false
  #wasHeld = false
  /** What people were last said to be waited for. */
  #toldOf = ''
  #releasedBy: EventPayloads['resumed'] = {}

  constructor(part: Subrun | undefined) {
    this.#part = part
  }

  /** The root agent has announced it. */
  announced(what: Heard['type']): void {
    this.#isHeld = what === 'held'
  }

  /** Somebody was answered, or let go. */
  resumed(by: EventPayloads['resumed']): void {
    this.#releasedBy = by
  }

  /** When a delivery has ended: what lasts beyond it is told. */
  tell(awaiting: () => readonly AwaitedSignal[]): void {
    if (this.#part === undefined) return
    const wasHeld = this.#wasHeld
    this.#wasHeld = this.#isHeld
    if (this.#isHeld) this.#tellHeld(this.#part, awaiting(), wasHeld)
    else if (wasHeld) this.#part.onReleased?.(this.#releasedBy)
  }

  /** Also when it still waits, and no longer for the same: one of two calls was denied, and the other is left. */
  #tellHeld(part: Subrun, awaiting: readonly AwaitedSignal[], wasHeld: boolean): void {
    const text = JSON.stringify(awaiting)
    if (wasHeld && text === this.#toldOf) return
    this.#toldOf = text
    part.onHeld?.(awaiting)
  }

  /** What a subagent tells of itself. Gives what stands for it here; it may have been let go of. */
  hear(
    signal: Heard,
    root: AnyActorRef,
    pending: ReadonlyMap<string, PendingEffect>,
  ): AnyActorRef | undefined {
    const stand = actorAt(root, signal.path)
    const effect = pending.get(effectKey(below(signal.path, 'agent:run'), 1))
    if (stand === undefined || effect === undefined || statusOf(stand) !== 'active') return undefined
    effect.awaiting = signal.type === 'held' ? signal.awaiting : undefined
    return stand
  }
}
