/** The engine's notes on one effect that a machine has asked for. */
import { unitInterval } from '../../../actors/values/digest.ts'
import type { EffectKind } from '../../../actors/effect-kinds.ts'
import type { EffectRequest } from '../../../actors/effect.ts'
import type { AwaitedSignal } from '../../../machines/contract/events.ts'
import type { Source } from '../../actor-source.ts'

export type PendingState =
  /** Asked for; starts when the delivery ends. */
  | 'requested'
  /** Its `effect.started` is on the way to the journal. */
  | 'starting'
  | 'performing'
  /** Its outcome is on the way to the journal. */
  | 'settling'
  | 'settled'
  /** Let go of; an outcome that still comes is dropped. */
  | 'aborted'
  /** As `aborted`; a value that still comes is recorded as late. */
  | 'expired'
  /** Let go of; an outcome that still comes is recorded as late. */
  | 'detached'

export class PendingEffect<Kind extends EffectKind = EffectKind> {
  readonly request: EffectRequest<Kind>
  /** The path of the asking actor, the id of the effect, and how many of that id it asked for. */
  readonly key: string
  readonly digest: string
  readonly source: Source
  state: PendingState = 'requested'
  /** Its `effect.started` stands in the journal. */
  isRecorded = false
  startedAt = 0
  /** Of an effect with a deadline: when that passes. */
  expiresAt = Number.POSITIVE_INFINITY
  /** Of timers: logical time at which it is due. */
  dueAt = 0
  /** Of a paused timer: what is left of its delay. */
  pausedWith: number | undefined
  /** Calls off its alarm: that of a timer, or the deadline of any other effect. */
  callOff: (() => void) | undefined
  /** Of a tool that is performed: tells that it is called now. */
  begun: (() => void) | undefined
  /** Of a timer that runs: lets it fire now. */
  ring: (() => void) | undefined
  /** Of a subagent that runs elsewhere and waits for people: what for. */
  awaiting: readonly AwaitedSignal[] | undefined
  /** Of a model call that counts against the budget while it is under way. */
  giveBack: (() => void) | undefined
  #controller: AbortController | undefined
  #hasTimedOut = false

  constructor(request: EffectRequest<Kind>, key: string, digest: string, source: Source) {
    this.request = request
    this.key = key
    this.digest = digest
    this.source = source
  }

  get kind(): Kind {
    return this.request.kind
  }

  /** Made when first asked for: most effects of most runs never are. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#hasTimedOut || this.state === 'aborted' || this.state === 'expired') this.#controller.abort()
    return this.#controller.signal
  }

  /** The signal fires; that the deadline has passed is still to be recorded. */
  signalTimeout(): void {
    this.#hasTimedOut = true
    this.#controller?.abort()
  }

  abort(state: 'aborted' | 'expired' = 'aborted'): void {
    this.state = state
    this.#controller?.abort()
  }
}

export function isKind<Kind extends PendingEffect['kind']>(
  effect: PendingEffect,
  kind: Kind,
): effect is PendingEffect & PendingEffect<Kind> {
  return effect.kind === kind
}

/** Milliseconds that a timer runs; its spread depends on nothing but its key. */
export function delayOf(effect: PendingEffect<'timer'>): number {
  const { delay, spread = 0 } = effect.request.input
  return delay + Math.ceil(spread * unitInterval(effect.key))
}
