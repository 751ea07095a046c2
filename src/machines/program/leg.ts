/**
 * A leg of a program: it runs from one wait for calls to the next. Each leg is one effect, whose outcome is on record; a program is
 * run again from its legs alone.
 */
import type { ActorLogic, Snapshot } from 'xstate'
import type { EffectCall, OwnPerform } from '../../actors/effects/custom-call.ts'
import { effect, type EffectEvent } from '../../actors/effects/effect.ts'
import type { AppendLog } from '../../actors/values/append-log.ts'
import { digestText } from '../../actors/values/digest.ts'
import type { JsonValue } from '../../actors/values/json.ts'
import type { ErrorData } from '../../errors.ts'

/** A call that a program makes. */
export interface ProgramCall {
  readonly name: string
  readonly args: JsonValue
}

/** The outcome of a call, as the program gets it. */
export type CallOutcome =
  | { readonly value: JsonValue; readonly error?: undefined }
  | { readonly error: ErrorData; readonly value?: undefined }

/** The calls of a leg that has ended, and their outcomes, in the order of the calls. */
export interface EndedLeg {
  readonly calls: readonly ProgramCall[]
  readonly outcomes: readonly CallOutcome[]
}

export interface LegInput {
  readonly program: string
  /** The names of the tools, as the run has them on record, in order. */
  readonly names: readonly string[]
  /** The legs before this one. */
  readonly legs: AppendLog<EndedLeg>
}

/** How a leg ends. `interpreter`: the name and the version of the interpreter. */
export type LegOutcome = { readonly interpreter: string } & (
  | { readonly state: 'calls'; readonly calls: readonly ProgramCall[] }
  | { readonly state: 'done'; readonly text: string }
  /** The program has used up its instructions, its memory or its time. */
  | { readonly state: 'outOfFuel'; readonly error: ErrorData }
  | { readonly state: 'failed'; readonly error: ErrorData }
)

export type LegLogic = ActorLogic<Snapshot<unknown>, EffectEvent, LegInput>

/** The name of the effect, in traces, errors and wrappers. */
const name = 'program'

/** The effect of a leg. The journal identifies it by the digests of the program and of the legs before it. */
export function legLogic(perform: (leg: LegInput, call: EffectCall) => Promise<LegOutcome>): LegLogic {
  const base = effect('custom')
  const logic: typeof base = {
    ...base,
    config: { effect: 'custom', name },
    getInitialSnapshot(scope, given: unknown) {
      const leg = given as LegInput
      const { program, legs } = leg
      const asked = {
        name,
        input: { program: digestText(program), leg: legs.length + 1, before: legs.digest },
      }
      const snapshot = base.getInitialSnapshot(scope, asked)
      const own: OwnPerform = (_input, call) => perform(leg, call)
      return { ...snapshot, request: { ...snapshot.request, perform: own } }
    },
  }
  return logic as object as LegLogic
}
