/**
 * Runs the effects of one run: it starts wanted effects when a delivery has ended, and settles them. Outcomes go to the
 * journal; from there the state delivers them to the actor that requested the effect.
 */
import type { EffectOutcome } from '../../../actors/effects/effect-kinds.ts'
import type { Settlement } from '../../../actors/effects/effect.ts'
import { sendsMessage } from '../../../actors/remote/remote-effects.ts'
import { deepFreeze } from '../../../actors/values/frozen.ts'
import { workingMemoryToolName } from '../../../actors/toolset/working-memory.ts'
import { toErrorData, type TroupeError } from '../../../errors.ts'
import { timeoutError } from '../../state/effects/deadline.ts'
import {
  countsAsModelCall,
  isKind,
  modelCalledBy,
  type PendingEffect,
} from '../../state/effects/pending-effect.ts'
import type { RunState } from '../../state/run-state.ts'
import { errorCodes, type PerformedKind } from '../perform/kinds.ts'
import { EffectAlarms, entryOf, type AlarmedRun, type TimedPerformer } from './effect-alarms.ts'
import { requesterOf } from '../../../actors/actor-path.ts'
import { isAtWork } from './under-way.ts'
import { isRecordedAlone } from '../../state/effects/recorded-starts.ts'

/** The run that the effects belong to. */
interface EffectsRun extends AlarmedRun {
  readonly state: RunState
}

/** What performs the effects. */
export interface EffectPerformer extends TimedPerformer {
  perform(effect: PendingEffect): PromiseLike<EffectOutcome<PerformedKind>>
  /** Called with what performing has thrown, before the effect is settled with it. */
  threw(effect: PendingEffect, thrown: unknown): void
  /** Whether the start of a tool is recorded before the tool runs. */
  recordsStart(effect: PendingEffect): boolean
}

export class EffectRunner {
  readonly #run: EffectsRun
  readonly #performer: EffectPerformer
  readonly #alarms: EffectAlarms
  #requested: PendingEffect[] = []
  readonly #starts = new ToolStarts()
  /** Paths of actors whose questions were answered in this process. */
  readonly #released = new Set<string>()
  #isClosed = false
  /** No further effect begins. */
  isPaused = false

  constructor(run: EffectsRun, performer: EffectPerformer) {
    this.#run = run
    this.#performer = performer
    this.#alarms = new EffectAlarms(run, performer)
  }

  // --- calls of the state ---------------------------------------------------------------------------------------

  /** Takes over the effects of a run that was read. */
  take(pending: Iterable<PendingEffect>): void {
    this.#requested.push(...pending)
  }

  /** The effect starts when the delivery has ended, if it is still wanted then. */
  wanted(effect: PendingEffect): void {
    this.#requested.push(effect)
  }

  lettingGo(effect: PendingEffect): void {
    this.#begun(effect.key)
  }

  unpaused(effect: PendingEffect): void {
    if (effect.state === 'performing') this.#alarms.schedule(effect)
  }

  limited(effect: PendingEffect): void {
    effect.limited?.()
    this.#alarms.limit(effect)
  }

  delivered(key: string): void {
    this.#alarms.delivered(key)
  }

  // --- calls of the engine --------------------------------------------------------------------------------------

  /** Starts the effects that were requested during the deliveries of this turn, if they are still wanted. */
  startRequested(): void {
    if (this.#isClosed) return
    for (const { effect, settlement } of this.#alarms.takeOvertaken()) this.#settle(effect, settlement)
    const requested = this.#requested
    this.#requested = this.isPaused ? requested.filter((effect) => !this.#mayBegin(effect)) : []
    for (const effect of requested) {
      if (effect.state === 'requested' && this.#mayBegin(effect)) this.#start(effect)
    }
  }

  /** An effect whose start is on record has begun. A signal and a timer perform nothing. */
  #mayBegin({ isRecorded, kind }: PendingEffect): boolean {
    return !this.isPaused || isRecorded || kind === 'signal' || kind === 'timer'
  }

  /** After a restart, settles started tools as interrupted: their progress is unknown. Their machines decide. */
  interrupt(): void {
    const { pending, uncertain } = this.#run.state.effects
    for (const effect of pending.values()) {
      if (!effect.isRecorded || effect.state !== 'requested') continue
      effect.state = 'performing'
      const doubt = uncertain.has(effect) ? { isUncertain: true as const } : {}
      const restored = this.#mayBeRepeated(effect) ? { restored: true as const } : {}
      this.#settle(effect, { value: { type: 'interrupted', ...doubt, ...restored } })
    }
  }

  /** Whether a call is under way whose start is just being recorded, or that an answer of this process has released. */
  get owesCall(): boolean {
    const { pending, letGone } = this.#run.state.effects
    return [...pending.values(), ...letGone.values()].some(
      (effect) => hasStart(effect) && isAtWork(effect) && (isBeginning(effect) || this.#isReleased(effect)),
    )
  }

  /** An answer was delivered for this effect of the kind `signal`: what its actor calls from now on is released by it. */
  answered(key: string): void {
    this.#released.add(requesterOf(key))
  }

  #isReleased({ key }: PendingEffect): boolean {
    return this.#released.has(requesterOf(key))
  }

  /** The deadline of an effect that is in progress passes now. */
  expire(key: string): void {
    const effect = this.#run.state.effects.effectOf(key)
    if (effect !== undefined) this.#alarms.expire(effect)
  }

  /** Aborts all effects: nothing can be recorded any more. `reason`: of their signals. */
  close(reason?: TroupeError): void {
    this.#isClosed = true
    this.#alarms.close()
    const { pending, letGone } = this.#run.state.effects
    for (const effect of pending.values()) {
      effect.callOff?.()
      effect.abort('aborted', reason)
    }
    for (const effect of letGone.values()) effect.callOff?.()
  }

  #start(effect: PendingEffect): void {
    const performer = this.#performer
    const { key, kind } = effect
    if (this.#mayBeRepeated(effect)) {
      effect.state = 'performing'
      effect.startedAt = this.#run.clock.now()
      this.#settle(effect, { value: { type: 'interrupted', restored: true } })
      return
    }
    if (hasStart(effect) && !effect.isRecorded && performer.recordsStart(effect)) {
      if (this.#starts.admits(effect)) this.#record(effect)
      return
    }
    effect.state = 'performing'
    effect.startedAt = this.#run.clock.now()
    if (kind === 'tool') effect.begun = this.#beginnerOf(key)
    if (effect.timeout === 0) {
      this.#settle(effect, { error: timeoutError(effect) }) // other last turns have used up the time
      return
    }
    if (!this.#isAffordable(effect)) return
    if (kind === 'signal') return
    if (kind === 'timer') {
      if (effect.pausedWith === undefined) this.#alarms.schedule(effect)
      return
    }
    performer.perform(effect).then(
      (value) => this.#settle(effect, { value: deepFreeze(value) }),
      (thrown: unknown) => {
        performer.threw(effect, thrown)
        this.#settle(effect, { error: toErrorData(thrown, errorCodes[kind as PerformedKind]) })
      },
    )
    this.#alarms.limit(effect)
  }

  /** Whether the call may have been made before the run was restored, and a person must be asked first. */
  #mayBeRepeated(effect: PendingEffect): boolean {
    const { registry, restoredCalls } = this.#run.state
    return restoredCalls.mayBeRepeated(effect) && hasStart(effect) && !isHarmless(effect, registry)
  }

  #record(effect: PendingEffect): void {
    const { key, kind, digest } = effect
    effect.state = 'starting'
    this.#run.append({ type: 'effect.started', at: 0, key, kind, digest })
  }

  /** Made apart from its assignment: see docs/design/decisions/performance.md#functions-of-a-run-are-young. */
  #beginnerOf(key: string): () => void {
    return () => this.#begun(key)
  }

  /** The user's code is called now, or never will be. */
  #begun(key: string): void {
    const next = this.#isClosed ? undefined : this.#starts.released(key)
    if (next === undefined) return
    if (this.isPaused) this.#requested.push(next)
    else this.#record(next)
  }

  #settle(effect: PendingEffect, settlement: Settlement): void {
    if (this.#isClosed) return
    this.#begun(effect.key)
    if (this.#alarms.overtakes(effect, settlement)) return
    const { key, state } = effect
    const entry = entryOf(effect, settlement)
    if (state === 'performing') {
      effect.state = 'settling'
      effect.callOff?.()
      this.#run.append(entry)
    } else {
      effect.callOff?.()
      // An error after a deadline comes from the abort signal that fired.
      const isRecorded = state === 'detached' || (state === 'expired' && settlement.error === undefined)
      effect.state = 'settled'
      if (isRecorded) this.#run.append({ ...entry, late: true })
      else this.#run.state.effects.letGone.delete(key)
    }
  }

  /** A final turn is made beyond the limits, but not where they cannot be checked. */
  #isAffordable(effect: PendingEffect): boolean {
    const { budget } = this.#run.state.limits
    const model = modelCalledBy(effect)
    if (budget === undefined || model === undefined) return true
    try {
      if (!countsAsModelCall(effect)) {
        budget.assertKnown()
        return true
      }
      budget.take(model, effect.startedAt)
      effect.hasReservation = true
      return true
    } catch (error) {
      this.#settle(effect, { error: toErrorData(error) })
      return false
    }
  }
}

/**
 * The order in which the starts of calls are recorded. Calls that were interrupted before are recorded one at a time, each when
 * the call before it has begun.
 */
class ToolStarts {
  /** The key of the call whose start is recorded alone. */
  #alone: string | undefined
  /** Calls that wait for that call to begin. */
  #waiting: PendingEffect[] = []

  /** Whether the start of the call is recorded now; if not, `released` returns the call later. */
  admits(effect: PendingEffect): boolean {
    if (!isRecordedAlone(effect)) return true
    if (this.#alone !== undefined) {
      this.#waiting.push(effect)
      return false
    }
    this.#alone = effect.key
    return true
  }

  /** The call with this key has begun, or never will. Returns the call whose start is recorded next. */
  released(key: string): PendingEffect | undefined {
    if (this.#alone !== key) return undefined
    const next = this.#waiting.findIndex((effect) => effect.state === 'requested')
    const effect = this.#waiting[next]
    this.#waiting = effect === undefined ? [] : this.#waiting.slice(next + 1)
    this.#alone = effect?.key
    return effect
  }
}

/** Whether the call does no harm where it was made before: its tool says so, or is the library's own, or that of a client. */
function isHarmless(effect: PendingEffect, registry: RunState['registry']): boolean {
  if (!isKind(effect, 'tool')) return false
  const { agent, tool, toolset = registry.get(agent)?.toolset } = effect.request.input
  const facts = toolset?.tools.get(tool)
  // A client is asked anew by the question of the call itself.
  return facts?.repeatable === true || facts?.isClient === true || tool === workingMemoryToolName
}

/** Whether its start is on its way into the journal, or has just come there. */
function isBeginning({ state }: PendingEffect): boolean {
  return state === 'starting' || state === 'requested'
}

/** Whether it matters that the effect has begun: a tool, a message to the server of another system, or an effect that is made once. */
function hasStart(effect: PendingEffect): boolean {
  if (isKind(effect, 'custom')) return effect.request.input.once === true
  return effect.kind === 'tool' || (isKind(effect, 'remote') && sendsMessage(effect.request.input))
}
