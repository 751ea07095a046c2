/** Effects that an adapter brings: a chart invokes each as its own effects, and the journal keeps its outcome. */
import type { ActorLogic, Snapshot } from 'xstate'
import { ConfigurationError } from '../../errors.ts'
import type { EffectCall, OwnPerform } from './custom-call.ts'
import { effect, type EffectEvent, type EffectRequest } from './effect.ts'
import { aBoolean, aFunction, aName, milliseconds } from '../strict/checks.ts'
import { optional, readOptions, required, show, type Fields } from '../strict/read-options.ts'
import type { AsJson } from '../values/json.ts'
import { copyAsJson } from '../values/to-json.ts'

/**
 * What a chart receives in place of an outcome: the process ended after the start was on record, or the run goes on from an
 * earlier point.
 */
export interface InterruptedEffect {
  readonly type: 'interrupted'
  /** Perhaps it has not begun. */
  readonly isUncertain?: true
  /** The run was restored: the effect may have been performed before. Asked for again, it is performed. */
  readonly restored?: true
}

/** An effect of your own. */
export interface EffectOptions<Input, Outcome> {
  /** Tells its kind from others, in traces and errors. */
  readonly name: string
  /**
   * Performs one attempt. What it returns becomes JSON and goes to the journal; a replay performs nothing. What it throws
   * becomes the error of the effect, which the chart handles: it is not repeated by itself.
   */
  readonly perform: (input: Input, call: EffectCall) => Promise<Outcome> | Outcome
  /** Milliseconds that an attempt may take. Default: any. */
  readonly timeout?: number
  /**
   * `true`: the start is on record before it is performed, and an effect that a crash has interrupted is not performed again:
   * the chart receives an `InterruptedEffect`. Default: `false`: it is performed again.
   */
  readonly once?: boolean
}

const effectFields: Fields<EffectOptions<never, unknown>> = {
  name: required(aName),
  perform: required(aFunction),
  timeout: optional(milliseconds),
  once: optional(aBoolean),
}

/** The logic of an effect: a chart invokes it with the input, and it is done with the outcome. */
export type OwnEffectLogic<Input, Outcome> = ActorLogic<Snapshot<Outcome>, EffectEvent, Input>

/**
 * Defines an effect of your own, as the logic that a chart invokes. The input is JSON. Throws a `ConfigurationError` for a wrong
 * option.
 */
export function defineEffect<Input, Outcome>(
  options: EffectOptions<Input, Outcome> & { readonly once: true },
): OwnEffectLogic<Input, AsJson<Outcome> | InterruptedEffect>
export function defineEffect<Input, Outcome>(
  options: EffectOptions<Input, Outcome>,
): OwnEffectLogic<Input, AsJson<Outcome>>
export function defineEffect(given: EffectOptions<never, unknown>): object {
  const where = `defineEffect(${show((given as Partial<EffectOptions<never, unknown>> | undefined)?.name)})`
  const {
    name,
    perform,
    timeout,
    once = false,
  } = readOptions<EffectOptions<never, unknown>>(given, where, effectFields)
  const base = effect('custom')
  const logic: typeof base = {
    ...base,
    config: { effect: 'custom', name },
    getInitialSnapshot(scope, input: unknown) {
      const copy = copyAsJson(input ?? null, 'input')
      if (!copy.ok) throw new ConfigurationError(`${where}: ${copy.problem}`)
      const asked = {
        name,
        input: copy.value,
        ...(timeout === undefined ? {} : { timeout }),
        ...(once ? { once } : {}),
      }
      const snapshot = base.getInitialSnapshot(scope, asked)
      const request: EffectRequest<'custom'> = { ...snapshot.request, perform: perform as OwnPerform }
      return { ...snapshot, request }
    },
  }
  return logic
}
