/** The call of a tool or a workflow, for the runs that it begins: their names, their limits, and what holds the call. */
import type { AnyActorRef } from 'xstate'
import type { Spending } from '../../actors/usage.ts'
import { isRecord } from '../../actors/values/json.ts'
import { sha256 } from '../../actors/values/sha256.ts'
import { parentOf } from '../../actors/xstate-internals.ts'
import { TerminalError } from '../../errors.ts'
import type { NestingCall } from '../engine/effects/perform.ts'
import type { NestedIn } from '../journal/journal.ts'

export class OuterCall {
  readonly #call: NestingCall
  /** The number of runs without a name that this attempt has begun. */
  #unnamed = 0
  /** How many of its runs wait for a person. */
  #waiting = 0

  constructor(call: NestingCall) {
    this.#call = call
  }

  get signal(): AbortSignal {
    return this.#call.effect.signal
  }

  get started(): NestingCall['started'] {
    return this.#call.started
  }

  get budget(): NestingCall['budget'] {
    return this.#call.budget
  }

  /** The place of the next run: by its name, or by the order of the calls. */
  place(name: string | undefined): NestedIn {
    const { started, key } = this.#call
    return { runId: started.runId, key, name: name ?? ++this.#unnamed }
  }

  /** Levels of delegation that a run of this call may have. Throws a `TerminalError` of the code `MAX_DEPTH` for none. */
  get depth(): number {
    const { depth, maxDepth } = levelsAbove(this.#call.effect.request.ref)
    if (depth < maxDepth) return maxDepth - depth - 1
    const message = `A run within this call would be ${depth + 1} levels deep; at most ${maxDepth} are allowed (maxDepth).`
    throw new TerminalError(message, { code: 'MAX_DEPTH' })
  }

  /** The usage of one of its runs has changed. */
  spent(runId: string, spending: Spending): void {
    const { effect } = this.#call
    effect.nested ??= new Map()
    effect.nested.set(runId, spending)
  }

  /** Acts once the end of the call is on record: another process may go on with a call whose end is not. */
  whenOver(act: () => void): void {
    this.#call.effect.whenOver(act)
  }

  /** One of its runs waits for a person: the timeout of the call stands still. */
  waits(): void {
    if (this.#waiting++ > 0) return
    this.#call.effect.isHeld = true
    this.#call.effect.deadline?.pause()
  }

  goesOn(): void {
    if (--this.#waiting > 0) return
    this.#call.effect.isHeld = false
    this.#call.effect.deadline?.resume()
  }
}

const text = /* @__PURE__ */ new TextEncoder()

/** The id of the run at a place: the same in every attempt of the call. */
export function nestedId({ key, name }: NestedIn): string {
  return `nested-${sha256(text.encode(JSON.stringify([key, name]))).slice(0, 40)}`
}

/** The depth of the nearest agent above an effect, and the cap that holds there. */
function levelsAbove(effect: AnyActorRef): { readonly depth: number; readonly maxDepth: number } {
  for (let actor = parentOf(effect); actor !== undefined; actor = parentOf(actor)) {
    const { context } = actor.getSnapshot() as { readonly context?: unknown }
    const input = isRecord(context) ? context['input'] : undefined
    if (!isRecord(input) || !isRecord(input['profile'])) continue
    const { depth, profile } = input
    const { maxDepth } = profile
    if (typeof depth === 'number' && typeof maxDepth === 'number') return { depth, maxDepth }
  }
  return { depth: 0, maxDepth: 1 } // a machine of the test kit has no agent above its effects
}
