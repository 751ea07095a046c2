/**
 * The user's own functions in an exploration: each is called once for each distinct input, and has the same answer
 * wherever that input comes again. When the search is done they are asked again: another answer is reported.
 */
import type { ChatModel } from '../../../actors/chat-model.ts'
import type { EffectRequest, Settlement } from '../../../actors/effects/effect.ts'
import { deepFreeze } from '../../../actors/values/frozen.ts'
import { toErrorData } from '../../../errors.ts'
import { systemClock } from '../../../runtime/clock.ts'
import { timeoutError, timeoutOf } from '../../../runtime/state/effects/deadline.ts'
import { errorCodes, type PerformedKind } from '../../../runtime/engine/perform/kinds.ts'
import { perform } from '../../../runtime/engine/perform/index.ts'
import { changedAgent } from '../../../runtime/definition/definition.ts'
import type { PerformContext } from '../../../runtime/engine/perform/context.ts'
import type { Choice } from './choice.ts'
import type { HeldEffect } from './held-effect.ts'

/** A call of the user's functions: the effect, and for a model call the reply that processors are shown. */
export interface RealCall {
  /** Equal calls have equal keys. */
  readonly key: string
  /** The function as a report names it. */
  readonly name: string
  readonly held: HeldEffect
  readonly model?: ChatModel
}

interface Answered {
  readonly call: RealCall
  /** The choices from the start to the call. */
  readonly path: readonly Choice[]
  readonly settlement: Settlement
}

/** A function that answered one input in two ways. */
export interface Inconsistency {
  readonly name: string
  /** The choices from the start to the first call with this input. */
  readonly path: readonly Choice[]
  readonly first: Settlement
  readonly second: Settlement
}

export class RealFunctions {
  readonly #answers = new Map<string, Answered>()

  known(key: string): Settlement | undefined {
    return this.#answers.get(key)?.settlement
  }

  /** The number of distinct calls. */
  get size(): number {
    return this.#answers.size
  }

  /** `path`: the choices from the start to the call. */
  async ask(call: RealCall, path: readonly Choice[]): Promise<void> {
    if (this.#answers.has(call.key)) return
    this.#answers.set(call.key, { call, path, settlement: await settlementOf(call) })
  }

  /** Asks every function again, the last first. */
  async recheck(): Promise<readonly Inconsistency[]> {
    const found: Inconsistency[] = []
    for (const { call, path, settlement: first } of [...this.#answers.values()].toReversed()) {
      const second = await settlementOf(call)
      if (JSON.stringify(first) !== JSON.stringify(second))
        found.push({ name: call.name, path, first, second })
    }
    return found
  }
}

/** A function that does not answer settles as its deadline would. The clock of an exploration stands still, and this one does not. */
async function settlementOf({ held, model }: RealCall): Promise<Settlement> {
  const request = held.effect.request as EffectRequest<PerformedKind>
  const performed = performedOf(request, model === undefined ? held.context : withModel(held.context, model))
  const timeout = timeoutOf(request)
  if (timeout === undefined) return performed
  const late = Promise.withResolvers<Settlement>()
  const callOff = systemClock.after(timeout, () =>
    late.resolve({ error: timeoutError({ request, timeout }) }),
  )
  try {
    return await Promise.race([performed, late.promise])
  } finally {
    callOff()
  }
}

async function performedOf(
  request: EffectRequest<PerformedKind>,
  context: PerformContext,
): Promise<Settlement> {
  try {
    return { value: deepFreeze(await perform(request, context)) }
  } catch (thrown) {
    return { error: toErrorData(thrown, errorCodes[request.kind]) }
  }
}

/** The context, with `model` in place of the model of every agent. */
function withModel(context: PerformContext, model: ChatModel): PerformContext {
  return {
    runId: context.runId,
    resourceId: context.resourceId,
    conversationId: context.conversationId,
    at: context.at,
    environment: context.environment,
    clock: context.clock,
    prices: context.prices,
    inspect: context.inspect,
    runContext: context.runContext,
    idempotencyKey: context.idempotencyKey,
    onDelta: undefined,
    onProgress: undefined,
    nestedRuns: () => undefined, // a run of its own has no world
    get memory() {
      return context.memory
    },
    blobs: context.blobs,
    get config() {
      return context.config
    },
    get signal() {
      return context.signal
    },
    failed: (thrown, name) => context.failed(thrown, name),
    misused: (verb, thrown) => context.misused(verb, thrown),
    begun: () => context.begun(),
    calls: () => undefined, // there is one model
    observed: (_, options) => options,
    madeOtherwise: (agent, edits, digest) => context.madeOtherwise(agent, edits, digest),
    definition: (agentId) => changedAgent(context.definition(agentId), { model }),
    parts: async (agentId) => changedAgent(await context.parts(agentId), { model }),
    options: (scope, agentId) => context.options(scope, agentId),
    elapsed: (delegationId) => context.elapsed(delegationId),
  }
}
