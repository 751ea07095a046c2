/** The context of the performer of one effect: it looks up, measures and streams for the run of that effect. */
import type { ChatModel, ModelCallOptions } from '../../../actors/chat-model.ts'
import type { JsonValue } from '../../../actors/values/json.ts'
import { hasSafeListeners, withSafeListeners } from '../../../actors/values/safe-signal.ts'
import { ownGetters, withSignal } from '../../../actors/values/own-getters.ts'
import type { PriceTable } from '../../../actors/pricing.ts'
import type { TraceContext } from '../../../actors/strict/trace-context.ts'
import { ConfigurationError, type CalledModel } from '../../../errors.ts'
import { memoryNeeded } from '../../missing-port.ts'
import type { Clock } from '../../clock.ts'
import type { AgentDefinition, AgentParts, AgentPartsOf } from '../../definition/definition.ts'
import type { Environment } from '../../environment.ts'
import { lookUp } from '../../definition/registry.ts'
import type { ConfigStorage } from '../../journal/config-storage.ts'
import type { BlobAccess } from '../../files/blob-storage.ts'
import type { MemoryStorage } from '../../journal/memory-storage.ts'
import type { SupervisorOptions } from '../../options/options.ts'
import type { Edit } from '../../program/recorded.ts'
import type { Around, Surroundings } from '../around/around.ts'
import { CallUnderWay, plainInput, type ObservedEffect } from '../around/observed-effect.ts'
import { hookTimeoutOf } from '../../definition/profile.ts'
import { deltaSink, progressSink, reportingCall } from './sinks.ts'
import { isKind, type PendingEffect } from '../../state/effects/pending-effect.ts'
import type { RunState } from '../../state/run-state.ts'
import type { NestedRunsOfCall, PerformContext } from '../perform/context.ts'
import type { Nest } from './perform.ts'
import { nameOf, problemOf, problemWith, type PerformedRequest } from './exceptions.ts'
import { listenerThrew, type Deed } from '../perform/deed.ts'
import { SpokenSoFar, type SpokenTexts } from '../perform/spoken-so-far.ts'

/** The options of the engine that the context of an effect needs. */
export interface ContextOptions {
  /** The options that were given with the run; they hold its functions. */
  readonly functions: SupervisorOptions
  readonly memory?: MemoryStorage | undefined
  readonly blobs?: BlobAccess
  readonly config?: ConfigStorage | undefined
  readonly agentParts?: AgentPartsOf
  readonly nest?: Nest
}

export interface EngineParts {
  readonly options: ContextOptions
  readonly state: RunState
  readonly environment: Environment
  readonly clock: Clock
  readonly around: readonly Around[]
  readonly trace: TraceContext | undefined
  /** Logical time. */
  readonly now: () => number
  /** The texts so far of model calls. */
  readonly spoken: SpokenTexts
  madeOtherwise(agent: string, edits: readonly Edit[], digest: string): void
}

interface Shown {
  readonly request: Parameters<typeof plainInput>[0]
  readonly call: CallUnderWay
  input: ObservedEffect['input'] | undefined
}

/** The input as plain data, made when a wrapper reads it, and the call as it is then. */
const withInput = /* @__PURE__ */ ownGetters<Shown, Pick<ObservedEffect, 'input' | 'call'>>({
  input: (shown) => {
    shown.input ??= plainInput(shown.request)
    return shown.input
  },
  call: (shown) => shown.call.seen,
})

/** Users may keep a signal: it must not keep the run. An effect whose signal fires is there, and so are its parts. */
function reportingListener(
  runId: string,
  effect: PendingEffect,
  parts: EngineParts,
): (thrown: unknown) => void {
  const [pending, engine] = [new WeakRef(effect), new WeakRef(parts)]
  return (thrown) => {
    const [fired, { state } = {}] = [pending.deref(), engine.deref()]
    if (fired === undefined || state === undefined) return
    state.report(problemWith(runId, fired, thrown, listenerThrew))
  }
}

/** A class: an object with accessors and functions of its own, for each effect, costs several times as much. */
export class EffectContext implements PerformContext {
  readonly at: number
  readonly onDelta: PerformContext['onDelta']
  readonly onProgress: PerformContext['onProgress']
  readonly #effect: PendingEffect
  readonly #parts: EngineParts
  #call: CallUnderWay | undefined

  constructor(effect: PendingEffect, parts: EngineParts) {
    const { now, state } = parts
    const { started, recorder } = state
    const { stream } = started
    this.at = now()
    const isTold = stream && isKind(effect, 'model') && effect.request.input.quiet !== true
    this.onDelta = isTold ? deltaSink(effect, started, recorder, now) : undefined
    const reporting = reportingCall(effect)
    this.onProgress = reporting && progressSink(effect, reporting, started, recorder.log, now)
    this.#effect = effect
    this.#parts = parts
  }

  get spoken(): SpokenSoFar {
    const effect = this.#effect
    return new SpokenSoFar(this.#parts.spoken, effect.source.path, () => effect.state === 'performing')
  }

  get #state(): RunState {
    return this.#parts.state
  }

  get runId(): string {
    return this.#state.started.runId
  }

  get resourceId(): string | undefined {
    return this.#state.started.resourceId
  }

  get conversationId(): string | undefined {
    return this.#state.started.conversationId
  }

  get clock(): Clock {
    return this.#parts.clock
  }

  begun(): void {
    this.#effect.begun?.()
  }

  get runContext(): JsonValue | undefined {
    return this.#state.started.context
  }

  get prices(): PriceTable | undefined {
    return this.#state.limits.budget?.prices
  }

  get inspect(): PerformContext['inspect'] {
    return this.#state.inspect
  }

  get environment(): Environment {
    return this.#parts.environment
  }

  get blobs(): BlobAccess | undefined {
    return this.#parts.options.blobs
  }

  get memory(): MemoryStorage {
    const { memory } = this.#parts.options
    if (memory === undefined) throw memoryNeeded()
    return memory
  }

  get descent(): PerformContext['descent'] {
    return this.#state.descent
  }

  get config(): ConfigStorage | undefined {
    return this.#parts.options.config
  }

  get around(): Surroundings | undefined {
    const { around } = this.#parts
    const { registry, started, report } = this.#state
    if (around.length === 0) return undefined
    const observed = this.#observed()
    const { agent, path, key, kind, name } = observed
    const own = registry.get(agent)?.settings ?? started.settings
    const surroundings: Omit<Surroundings, 'signal'> = {
      wrappers: around,
      effect: observed,
      timeout: hookTimeoutOf(own, started.settings),
      clock: this.clock,
      report: (problem, error) =>
        report({
          message: `a wrapper of \`around\` ${problem}, in the run "${this.runId}" at "${path}"`,
          code: 'WRAPPER_FAILED',
          where: 'observer',
          error,
          runId: this.runId,
          agent,
          path,
          effect: { kind, key, ...(name === undefined ? {} : { name }) },
        }),
    }
    return withSignal(surroundings, this)
  }

  #observed(): ObservedEffect {
    const { key, request, source, attempt } = this.#effect
    const { agent, path, delegationId } = source
    const name = nameOf(request as PerformedRequest)
    const { conversationId } = this
    const observed: Omit<ObservedEffect, 'input' | 'call'> = {
      kind: (request as PerformedRequest).kind,
      ...(name === undefined ? {} : { name }),
      runId: this.runId,
      agent,
      path,
      key,
      attempt,
      ...(delegationId === undefined ? {} : { delegationId }),
      ...(conversationId === undefined ? {} : { conversationId }),
      ...this.#parts.trace,
    }
    return Object.freeze(withInput(observed, { request, input: undefined, call: this.#theCall }))
  }

  /**
   * Retries of a call are effects of their own and share its key: the call must not happen twice. Messages to the server
   * of another system have names of their own below it.
   */
  get idempotencyKey(): string {
    const { key, kind, source } = this.#effect
    return `${this.runId}/${kind === 'tool' || kind === 'remote' ? source.path : key}`
  }

  get signal(): AbortSignal {
    const { signal } = this.#effect
    if (hasSafeListeners(signal)) return signal
    return withSafeListeners(signal, reportingListener(this.runId, this.#effect, this.#parts))
  }

  get #theCall(): CallUnderWay {
    return (this.#call ??= new CallUnderWay())
  }

  observed(model: ChatModel, options: ModelCallOptions): ModelCallOptions {
    return this.#parts.around.length === 0 ? options : this.#theCall.begin(model, options, this.clock)
  }

  calls(called: CalledModel | undefined): void {
    this.#effect.called = called
  }

  nestedRuns(): NestedRunsOfCall | undefined {
    const { started, limits } = this.#state
    const { idempotencyKey: key } = this
    return this.#parts.options.nest?.({ started, effect: this.#effect, key, budget: limits.budget })
  }

  parts(agentId: string): Promise<AgentParts> {
    const { agentParts } = this.#parts.options
    if (agentParts === undefined) throw new ConfigurationError('This run was given no parts of agents.')
    return agentParts.of(agentId)
  }

  definition(agentId: string): AgentDefinition {
    return lookUp(this.#state.registry, agentId)
  }

  get given(): PerformContext['given'] {
    return this.#effect.source.delegationId === undefined ? this.#state.started.settings : undefined
  }

  options(scope: 'agent' | 'run', agentId: string): SupervisorOptions {
    return scope === 'run' ? this.#parts.options.functions : this.definition(agentId).options
  }

  failed(thrown: unknown, name?: string): void {
    const problem = problemOf(this.runId, this.#effect, thrown, name)
    if (problem !== undefined) this.#state.report(problem)
  }

  madeOtherwise(agent: string, edits: readonly Edit[], digest: string): void {
    this.#parts.madeOtherwise(agent, edits, digest)
  }

  misused(deed: Deed, thrown: unknown): void {
    this.#state.report(problemWith(this.runId, this.#effect, thrown, deed))
  }

  elapsed(delegationId: string): number {
    return this.#state.recorder.elapsed(delegationId, this.#state.now)
  }
}
