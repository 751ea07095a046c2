/**
 * Performs effects as durable steps: an outcome is recorded once, and its effect is not performed again. Every
 * exception is caught within the step and becomes an outcome: the statechart decides on retries, and Restate retries
 * nothing.
 */
import type { WorkflowContext } from '@restatedev/restate-sdk'
import type { EffectOutcome } from '../../actors/effects/effect-kinds.ts'
import type { EffectRequest, Settlement } from '../../actors/effects/effect.ts'
import { sendsMessage } from '../../actors/remote/remote-effects.ts'
import { traceIn, type TraceContext } from '../../actors/strict/trace-context.ts'
import { JournalMismatchError, CancelledError, toErrorData } from '../../errors.ts'
import { contextHere } from '../../runtime/async-context.ts'
import type { Appender, Committer } from '../../runtime/journal/committer.ts'
import type { JournalEntry } from '../../runtime/journal/journal.ts'
import type { PerformContext } from '../../runtime/engine/perform/context.ts'
import { errorCodes, type PerformedKind } from '../../runtime/engine/perform/kinds.ts'
import type { Registry } from '../../runtime/definition/registry.ts'
import { isKind, modelCalledBy, type PendingEffect } from '../../runtime/state/effects/pending-effect.ts'
import { fromRestateError } from '../wire/terminal-errors.ts'
import { outcomeSerde } from '../wire/bounded-serdes.ts'
import type { Account } from '../account/account.ts'
import type { Race } from './race.ts'
import type { PerformedEffect } from '../wire/wire.ts'
import type { WorkflowClock } from './workflow-clock.ts'
import { timeoutError, timeoutException } from '../../runtime/state/effects/deadline.ts'
import { withModel } from '../../runtime/engine/effects/settled-model.ts'
import { perform } from '../../runtime/engine/perform/index.ts'

type Outcome = EffectOutcome<PerformedKind>

export interface EffectsOptions {
  readonly context: WorkflowContext
  readonly race: Race
  readonly clock: WorkflowClock
  readonly registry: Registry
  readonly turns: Pick<Committer, 'append'>
  /** Asked before each model call; `undefined`: the run shares no budget. */
  readonly account: () => Account | undefined
  /** Whether agents were edited since the run began: recorded outcomes stand. */
  readonly hasDrifted: () => boolean
  /** The trace context for subagents of the agent that an effect works for, by the path of the effect. */
  readonly traceAt: (path: string) => TraceContext | undefined
}

interface Mark {
  readonly at: number
  readonly attempt: string
}

export class Effects implements Pick<Committer, 'append'> {
  readonly #options: EffectsOptions
  /** That of the execution of the workflow, in which the engine works too. */
  readonly #context = contextHere()
  /** The id of this execution of the workflow: effects that another execution had begun are in doubt. */
  readonly #attempt = crypto.randomUUID()
  /** The execution that was about to run a tool, by the key of the call; only where `onInterrupted` is not `retry`. */
  readonly #marks = new Map<string, string>()
  /** The number of settled effects: the position that a mismatch names. */
  #settled = 0
  #trace: TraceContext | undefined

  constructor(options: EffectsOptions) {
    this.#options = options
  }

  /** The trace context for subagents, as of the last effect that was delivered. */
  get trace(): TraceContext | undefined {
    return this.#trace
  }

  perform(
    request: EffectRequest<PerformedKind>,
    performContext: PerformContext,
    effect: PendingEffect,
  ): Promise<Outcome> {
    const outcome = Promise.withResolvers<Outcome>()
    const step = (): void => this.#step(request, performContext, effect, outcome)
    const account = modelCalledBy(effect) === undefined ? undefined : this.#options.account()
    if (account === undefined) step()
    else account.ask(effect, { granted: step, refused: outcome.reject })
    return outcome.promise
  }

  #step(
    request: EffectRequest<PerformedKind>,
    performContext: PerformContext,
    effect: PendingEffect,
    outcome: PromiseWithResolvers<Outcome>,
  ): void {
    const { context, race, clock, traceAt } = this.#options
    const { key, digest, source } = effect
    const act = async (): Promise<PerformedEffect> => {
      const settlement = this.#wasInterrupted(effect)
        ? { value: { type: 'interrupted' as const } }
        : withModel(effect, await settledInTime(request, performContext, effect))
      return { at: Date.now(), digest, settlement, ...traceAt(source.path) }
    }
    const step = context.run(key, () => this.#context.run(act), { serde: outcomeSerde })
    race.add(step, (performed, failure) => {
      clock.advance(performed?.at)
      this.#check(effect, performed)
      this.#trace = (performed && traceIn(performed)) ?? this.#trace
      const { value, error } = performed?.settlement ?? {
        error: failure && fromRestateError(failure, 'RESTATE_FAILED'),
      }
      if (error !== undefined) outcome.reject(error)
      else outcome.resolve(value as Outcome)
    })
  }

  /**
   * A mark before the start costs a step: only tools whose `onInterrupted` is not `retry` have one, and messages to other
   * systems. A message that is sent again is looked for first, and needs none: a workflow that leaves memory after each step
   * would never come behind its mark.
   */
  recordsStart(effect: PendingEffect): boolean {
    if (isKind(effect, 'remote')) {
      const { input } = effect.request
      return sendsMessage(input) && !('isAgain' in input && input.isAgain)
    }
    if (isKind(effect, 'custom')) return effect.request.input.once === true
    if (!isKind(effect, 'tool')) return false
    const { agent, tool, toolset = this.#options.registry.get(agent)?.toolset } = effect.request.input
    const { onInterrupted = 'retry' } = toolset?.tools.get(tool) ?? {}
    return onInterrupted !== 'retry'
  }

  /** Records that a tool is about to start before it does; all other entries follow from recorded inputs. */
  append(appender: Appender, entry: JournalEntry): void {
    const { context, race, clock, turns } = this.#options
    // The steps of a workflow decide its entries: an edit, which only this execution knows, has none.
    if (entry.type === 'program.drifted' || entry.type === 'run.restored') return
    if (entry.type !== 'effect.started') return turns.append(appender, entry)
    const mark = context.run(`start ${entry.key}`, (): Mark => ({ at: Date.now(), attempt: this.#attempt }))
    race.add(mark, (marked) => {
      clock.advance(marked?.at)
      this.#marks.set(entry.key, marked?.attempt ?? this.#attempt)
      turns.append(appender, { ...entry, at: clock.now() })
    })
  }

  #wasInterrupted({ key }: PendingEffect): boolean {
    return (this.#marks.get(key) ?? this.#attempt) !== this.#attempt
  }

  /**
   * Throws a `JournalMismatchError` where the request of the agent differs from that of the recorded outcome, and no edit of
   * an agent explains it.
   */
  #check(effect: PendingEffect, performed: PerformedEffect | undefined): void {
    const { key, digest } = effect
    const entry = this.#settled++
    if (performed === undefined || performed.digest === digest) return
    if (this.#options.hasDrifted()) {
      effect.digest = performed.digest // Restate compares what is stored again
      return
    }
    const field = 'digest of the input'
    throw new JournalMismatchError({ entry, key, field, recorded: performed.digest, actual: digest })
  }
}

// Performs an effect within a durable step, up to its deadline, by the clock of its host. A step in progress
// eventually keeps its run from receiving any other result, so none outlasts its effect.

/** An outcome after the deadline, or after the run has let go of the effect, is not recorded. */
async function settledInTime(
  request: EffectRequest<PerformedKind>,
  context: PerformContext,
  effect: PendingEffect,
): Promise<Settlement> {
  const { clock, signal } = context
  const begun = clock.now()
  const due = (): number => begun + (effect.timeout ?? Number.POSITIVE_INFINITY)
  const ended = Promise.withResolvers<Settlement>()
  const onAbort = (): void => ended.resolve({ error: toErrorData(new CancelledError()) })
  let hasTimedOut = false
  const onTimeout = (): void => {
    if (hasTimedOut) return
    hasTimedOut = true
    context.failed(timeoutException(effect))
    const error = timeoutError(effect)
    ended.resolve({ error })
    effect.signalTimeout(error)
  }
  signal.addEventListener('abort', onAbort, { once: true })
  const settled = settlementOf(request, context)
  let callOff: (() => void) | undefined
  const limit = (): void => {
    callOff?.()
    callOff = due() === Number.POSITIVE_INFINITY ? undefined : clock.after(due() - clock.now(), onTimeout)
  }
  limit()
  effect.limited = limit // the limits of the run may leave it less time while it is under way
  const settlement = await Promise.race([settled, ended.promise])
  effect.limited = undefined
  callOff?.()
  signal.removeEventListener('abort', onAbort)
  if (clock.now() < due()) return settlement
  onTimeout()
  return ended.promise
}

async function settlementOf(
  request: EffectRequest<PerformedKind>,
  context: PerformContext,
): Promise<Settlement> {
  try {
    return { value: await perform(request, context) }
  } catch (thrown) {
    return { error: toErrorData(thrown, errorCodes[request.kind]) }
  }
}
