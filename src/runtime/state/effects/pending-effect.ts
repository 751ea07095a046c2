/** The engine's state of one effect that a machine has requested. */
import { timeoutOf } from './deadline.ts'
import { unitInterval } from '../../../actors/values/digest.ts'
import {
  CancelledError,
  TerminalError,
  TroupeError,
  type CalledModel,
  type ErrorData,
} from '../../../errors.ts'
import type { EffectKind, HookName } from '../../../actors/effects/effect-names.ts'
import type { EffectRequest } from '../../../actors/effects/effect.ts'
import type { AwaitedSignal } from '../../../machines/contract/events.ts'
import type { Source } from '../../../actors/actor-path.ts'
import type { Spending } from '../../../actors/usage.ts'
import type { TenantGrant } from '../../tenants/tenant-charge.ts'

export type PendingState =
  /** Requested; starts when the delivery ends. */
  | 'requested'
  /** Its `effect.started` is being appended to the journal. */
  | 'starting'
  | 'performing'
  /** Its outcome is being appended to the journal. */
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
  /** The path of the requesting actor, the id of the effect, and the count of that id in that actor. */
  readonly key: string
  /** Of its input. On Restate that of the recorded outcome, where an agent was edited since. */
  digest: string
  readonly source: Source
  state: PendingState = 'requested'
  /** Its `effect.started` is in the journal. */
  isRecorded = false
  startedAt = 0
  /** From 1; more where it repeats an effect that failed for now, or was interrupted. */
  attempt = 1
  /** The milliseconds that it may take, by its request and by the limits of the run; `undefined`: any. */
  timeout: number | undefined
  /** Of an effect with a deadline: the time at which it passes. */
  expiresAt = Number.POSITIVE_INFINITY
  /** Of a timer: the logical time at which it is due. */
  dueAt = 0
  /** Of a paused timer: the rest of its delay, in milliseconds. */
  pausedWith: number | undefined
  /** Cancels its alarm: that of a timer, or the deadline of any other effect. */
  callOff: (() => void) | undefined
  /** Of a tool that is performed: reports that the tool is called now. */
  begun: (() => void) | undefined
  /** Of an effect whose performer keeps its deadline: `timeout` has changed. */
  limited: (() => void) | undefined
  /** Of a running timer: fires it now. */
  ring: (() => void) | undefined
  /** Stops and continues its deadline, where it has one. */
  deadline: { pause(): void; resume(): void } | undefined
  /** Of a tool: the usage of the runs that it has begun, by their ids, where the budget counts it. */
  nested: Map<string, Spending> | undefined
  /** Of a held subagent that runs elsewhere: the signals that it waits for. */
  awaiting: readonly AwaitedSignal[] | undefined
  /** Of a model call: what the budget of its tenant has granted. */
  grant: TenantGrant | undefined
  /** Of a model call of an agent with several models: the model that is called. */
  called: CalledModel | undefined
  /** A run that the call has begun waits for a person, and the call with it. */
  isHeld = false
  /** Of a model call that counts against the budget while it is in progress. */
  hasReservation = false
  #controller: AbortController | undefined
  #hasTimedOut = false
  #isOver = false
  /** What is done once the effect is over. */
  #afterwards: (() => void)[] | undefined
  /** The reason of the abort signal; `undefined`: nobody has given one. */
  #cause: ErrorData | TroupeError | undefined

  constructor(request: EffectRequest<Kind>, key: string, digest: string, source: Source) {
    this.request = request
    this.key = key
    this.digest = digest
    this.source = source
    this.timeout = timeoutOf(request)
  }

  get kind(): Kind {
    return this.request.kind
  }

  /** Created on first access: most effects of most runs never need it. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#hasTimedOut || this.state === 'aborted' || this.state === 'expired') this.#fire()
    return this.#controller.signal
  }

  /** Acts once the end of the effect is on record, and at once where it is. A process that loses the run does not act. */
  whenOver(act: () => void): void {
    if (this.#isOver) act()
    else (this.#afterwards ??= []).push(act)
  }

  /** Whatever ended the effect is on record. */
  over(): void {
    this.#isOver = true
    this.#afterwards?.forEach((act) => act())
    this.#afterwards = undefined
  }

  /** Fires the abort signal; the timeout is still to be recorded. */
  signalTimeout(cause: ErrorData): void {
    this.#hasTimedOut = true
    this.#cause ??= cause
    this.#fire()
  }

  /** The first cause is the reason of the abort signal. */
  abort(state: 'aborted' | 'expired' = 'aborted', cause?: ErrorData | TroupeError): void {
    this.state = state
    this.#cause ??= cause
    this.#fire()
  }

  #fire(): void {
    if (this.#controller?.signal.aborted === false) this.#controller.abort(reasonOf(this.#cause))
  }
}

export function isKind<Kind extends PendingEffect['kind']>(
  effect: PendingEffect,
  kind: Kind,
): effect is PendingEffect & PendingEffect<Kind> {
  return effect.kind === kind
}

/** The model that the effect calls; `undefined`: it calls none. */
export function modelCalledBy(effect: PendingEffect): string | undefined {
  return isKind(effect, 'model') || isKind(effect, 'compaction') ? effect.request.input.model : undefined
}

/** Whether the effect is a model call that counts against the budget. A final turn adds its usage alone. */
export function countsAsModelCall(effect: PendingEffect): boolean {
  const isFinalTurn = isKind(effect, 'model') && effect.request.input.finalTurn === true
  return modelCalledBy(effect) !== undefined && !isFinalTurn
}

/** An error, since functions throw the reason of their signal. */
function reasonOf(cause: ErrorData | TroupeError | undefined): Error {
  if (cause === undefined) return new CancelledError('The result of the call is no longer wanted.')
  if (cause instanceof TroupeError) return cause
  const { name, code, message } = cause
  if (code === 'CANCELLED') return new CancelledError(message)
  return Object.assign(new TerminalError(message, { code }), { name })
}

/** Whether the effect is a part of a last turn where the time of its run is up: then it has a share of the rest. */
export function isOfLastTurn(effect: PendingEffect): boolean {
  if (isKind(effect, 'hook')) return lastTurnHooks.has(effect.request.input.hook)
  return modelCalledBy(effect) !== undefined
}

const lastTurnHooks: ReadonlySet<HookName> = new Set<HookName>(['processInput', 'processOutput'])

/** The milliseconds that a timer runs; its spread depends on nothing but its key. */
export function delayOf(effect: PendingEffect<'timer'>): number {
  const { delay, spread = 0 } = effect.request.input
  return delay + Math.ceil(spread * unitInterval(effect.key))
}
