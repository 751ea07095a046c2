/**
 * Connects the parts of a run whose agents are not all in one place: it reports the holds of a subrun to the run that
 * it is part of, and takes the reports of subagents that run elsewhere.
 */
import { below, effectKey } from '../../actors/actor-path.ts'
import type { AnyActorRef, AnyMachineSnapshot } from 'xstate'
import { statusOf } from '../../actors/xstate-internals.ts'
import type { AwaitedSignal, EventPayloads } from '../../machines/contract/events.ts'
import type { SparseMap } from '../../actors/values/sparse.ts'
import type { Origin } from '../../actors/effects/effect.ts'
import type { AgentRequest } from '../../machines/contract/agent.ts'
import type { Signal } from '../journal/journal.ts'
import { actorAt } from '../actor-source.ts'
import type { PendingEffect } from './effects/pending-effect.ts'

/** A part of a run whose root is elsewhere. */
export interface Subrun {
  /** The request to its root agent. */
  readonly request: AgentRequest
  readonly origin: Origin
  /** Called when its root agent waits for signals alone (`onHeld`), and when it no longer does (`onReleased`). */
  readonly onHeld?: (awaiting: readonly AwaitedSignal[]) => void
  readonly onReleased?: (by: EventPayloads['resumed']) => void
}

/** Effects by their keys. */
type Pending = Pick<SparseMap<string, PendingEffect>, 'get'>

type Heard = Extract<Signal, { readonly type: 'held' | 'released' }>

export class RemoteAgents {
  readonly #part: Subrun | undefined
  /** Whether the root agent waits for signals alone, and whether that was reported. */
  #isHeld = false
  #wasHeld = false
  /** The awaited signals of the last report, as JSON. */
  #toldOf = ''
  #releasedBy: EventPayloads['resumed'] | undefined

  constructor(part: Subrun | undefined) {
    this.#part = part
  }

  /** Notes that the root agent emitted `held` or `released`. */
  announced(what: Heard['type']): void {
    this.#isHeld = what === 'held'
  }

  /** Notes the cause of a release, for the next report. */
  resumed(by: EventPayloads['resumed']): void {
    this.#releasedBy = by
  }

  /** Reports the state at the end of a delivery; a change that ends within the delivery is not reported. */
  tell(awaiting: () => readonly AwaitedSignal[]): void {
    if (this.#part === undefined) return
    const wasHeld = this.#wasHeld
    this.#wasHeld = this.#isHeld
    if (this.#isHeld) this.#tellHeld(this.#part, awaiting(), wasHeld)
    else if (wasHeld) this.#part.onReleased?.(this.#releasedBy ?? {})
  }

  /** Also reports an agent that is still held, and no longer for the same signals: of two calls, one was denied. */
  #tellHeld(part: Subrun, awaiting: readonly AwaitedSignal[], wasHeld: boolean): void {
    const text = JSON.stringify(awaiting)
    if (wasHeld && text === this.#toldOf) return
    this.#toldOf = text
    part.onHeld?.(awaiting)
  }

  /** Returns the stand-in here of a remote subagent, or `undefined` when that was let go of. */
  standInOf({ path }: Heard, root: AnyActorRef): AnyActorRef | undefined {
    const stand = actorAt(root, path)
    return stand !== undefined && statusOf(stand) === 'active' ? stand : undefined
  }

  /** Notes the signals that a remote subagent waits for: one that is being cancelled waits for none. */
  heard(signal: Heard, stand: AnyActorRef, pending: Pending): void {
    const effect = pending.get(runKey(signal.path))
    if (effect === undefined) return
    const isHeld = signal.type === 'held' && (stand.getSnapshot() as AnyMachineSnapshot).matches('held')
    effect.awaiting = isHeld ? signal.awaiting : undefined
  }

  /** Notes that the agent at `path` is not held any more: its stand-in says so where it is being cancelled. */
  released(path: string, pending: Pending): void {
    const effect = pending.get(runKey(path))
    if (effect !== undefined) effect.awaiting = undefined
  }
}

/** The key of the effect of a stand-in that runs its agent elsewhere. */
function runKey(path: string): string {
  return effectKey(below(path, 'agent:run'), 1)
}
