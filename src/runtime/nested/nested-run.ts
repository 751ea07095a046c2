/**
 * A run within the call of a tool or a workflow. The run is begun, or found again by its id: here, in the store, or with
 * another troupe. It is then followed to its end.
 */
import type { Spending } from '../../actors/usage.ts'
import type { Prompt } from '../../actors/message.ts'
import { traceIn, withTrace } from '../../actors/strict/trace-context.ts'
import {
  ConfigurationError,
  LeaseLostError,
  NestedRunError,
  RunExistsError,
  RunNotFoundError,
  RunOwnedError,
  toErrorData,
} from '../../errors.ts'
import { leavesRun } from '../../errors/leaves-run.ts'
import { asDefinition, type AnyAgent } from '../definition/definition.ts'
import type { RunEvent } from '../handle/run-event.ts'
import type { FinalResult } from '../handle/result.ts'
import type { RunSignal } from '../handle/run.ts'
import type { RunStarted } from '../journal/journal.ts'
import { budgetOf } from '../options/budget-options.ts'
import type { SupervisorOptions } from '../options/options.ts'
import type { RunSpec } from '../run/create-run.ts'
import type { HostedRun, RunHost } from '../run/run-host.ts'
import { nestedId, type OuterCall } from './outer-call.ts'

/** The troupe of a nested run. */
export interface NestingHost extends RunHost {
  /**
   * Starts a run whose id was chosen. `isOwn`: the run that begins it is one of the same troupe. Rejects with a
   * `RunExistsError`, and with a `RunNotFoundError` where that run was deleted meanwhile: nothing of the new run is then left.
   */
  launch(spec: RunSpec, isOwn: boolean): Promise<HostedRun>
  /** Delivers a signal to a run in any place. */
  tell(runId: string, make: () => RunSignal): Promise<void>
  /** A call follows the run here, until the function that is returned is called. */
  follows(runId: string): () => void
}

/** The options that a nested run is given, beside those that it inherits. */
export type NestedOptions = SupervisorOptions & {
  readonly name?: unknown
  readonly detached?: unknown
  readonly runId?: string
  readonly signal?: AbortSignal
}

export class NestedRun {
  readonly spec: RunSpec
  readonly #host: NestingHost
  readonly #call: OuterCall
  readonly #signal: AbortSignal | undefined
  readonly #isOwn: boolean
  #isWaiting = false
  #isLeft = false

  /** Throws a `ConfigurationError`, a `TerminalError` of the code `MAX_DEPTH`, and a `BudgetExceededError`. */
  constructor(
    { host, isOwn, call }: { readonly host: NestingHost; readonly isOwn: boolean; readonly call: OuterCall },
    agent: AnyAgent,
    prompt: Prompt,
    options: NestedOptions,
  ) {
    this.#host = host
    this.#isOwn = isOwn
    this.#call = call
    this.#signal = options.signal
    this.spec = specOf(host, call, agent, prompt, options)
  }

  get id(): string {
    return this.spec.started.runId
  }

  /** The signal of its call has fired: the run was cancelled by that, or is left to go on. */
  get isLetGo(): boolean {
    return this.#call.signal.aborted
  }

  /** Resolves with the end of the run. Rejects with the reason of the signal of the call once that has fired. */
  async end(onEvent?: (event: RunEvent) => void): Promise<FinalResult> {
    const { signal } = this.#call
    const aborted = Promise.withResolvers<never>()
    const stopped = (): void => {
      const reason: unknown = signal.reason
      if (!leavesRun(reason)) this.cancelWithCall(toErrorData(reason).message)
      this.#isLeft = true
      aborted.reject(reason)
    }
    const unfollow = this.#host.follows(this.id)
    signal.addEventListener('abort', stopped, { once: true })
    try {
      if (signal.aborted) throw signal.reason as unknown
      return await Promise.race([this.#followed(onEvent), aborted.promise])
    } finally {
      signal.removeEventListener('abort', stopped)
      this.#isLeft = true
      this.#waits(false)
      unfollow()
    }
  }

  /** As `cancel`, once the end of its call is on record. */
  cancelWithCall(reason: string): void {
    this.#call.whenOver(() => this.cancel(reason))
  }

  /** Cancels the run, wherever it is. */
  cancel(reason: string): void {
    this.#host
      .tell(this.id, () => ({ type: 'cancel', reason }))
      .catch((error: unknown) => {
        // It had not begun, or goes on elsewhere: whoever has it looks whether the run that began it has ended.
        if (error instanceof RunNotFoundError || this.#host.isClosed) return
        const message = `the nested run "${this.id}" could not be cancelled`
        this.#host.report({ message, code: 'NESTED_RUN_NOT_CANCELLED', where: 'run', error, runId: this.id })
      })
  }

  async #followed(onEvent: ((event: RunEvent) => void) | undefined): Promise<FinalResult> {
    for (;;) {
      const run = await this.#entered()
      if (this.#isLeft) {
        // The cancel came before the run had begun.
        const { reason } = this.#call.signal as { readonly reason: unknown }
        if (!leavesRun(reason)) this.cancelWithCall(toErrorData(reason).message)
        throw reason
      }
      if (run === undefined) {
        await this.#elsewhere()
        continue
      }
      try {
        return await this.#endOf(run, onEvent)
      } catch (error) {
        if (!(error instanceof LeaseLostError)) throw error // another troupe goes on with it
      }
    }
  }

  /** The run, in this process. `undefined`: another troupe has it, or has just begun it. */
  async #entered(): Promise<HostedRun | undefined> {
    const { started } = this.spec
    try {
      const run = await this.#host.resume(this.id, this.#signal === undefined ? {} : { signal: this.#signal })
      assertSame(run.started, started)
      return run
    } catch (error) {
      if (error instanceof RunOwnedError || error instanceof LeaseLostError) return undefined
      if (!(error instanceof RunNotFoundError)) throw error
    }
    try {
      return await this.#host.launch(this.spec, this.#isOwn)
    } catch (error) {
      if (error instanceof RunExistsError) return undefined
      throw error
    }
  }

  async #endOf(run: HostedRun, onEvent: ((event: RunEvent) => void) | undefined): Promise<FinalResult> {
    if (this.spec.spendsWithin !== undefined) run.spendsWithin(this.spec.spendsWithin)
    const { result } = run.run
    for await (const event of run.run.events) {
      if (event.type === 'suspended') this.#waits(true)
      if (event.type === 'resumed') this.#waits(false)
      onEvent?.(event)
    }
    this.#waits(false)
    return result
  }

  /** Waits until the store is asked again. */
  async #elsewhere(): Promise<void> {
    const { environment, keeper, closing, store } = this.#host
    const [summary] = (await store.list('runs', { runId: this.id, limit: 1 })).items
    this.#waits(summary?.status === 'suspended' && summary.awaiting.length > 0)
    const { promise, resolve } = Promise.withResolvers<void>()
    const callOff = environment.clock.after(keeper.pollInterval, resolve)
    const wake = (): void => resolve()
    closing.addEventListener('abort', wake, { once: true })
    this.#call.signal.addEventListener('abort', wake, { once: true })
    await promise
    closing.removeEventListener('abort', wake)
    this.#call.signal.removeEventListener('abort', wake)
    callOff()
  }

  /** Whether it waits for a person, and its call with it. */
  #waits(isWaiting: boolean): void {
    const is = isWaiting && !this.#isLeft
    if (is === this.#isWaiting) return
    this.#isWaiting = is
    if (is) this.#call.waits()
    else this.#call.goesOn()
  }
}

function specOf(
  host: NestingHost,
  call: OuterCall,
  agent: AnyAgent,
  prompt: Prompt,
  { name, detached, ...given }: NestedOptions,
): RunSpec {
  const definition = asDefinition(agent)
  const where = `start of "${definition.id}"`
  if (detached !== undefined) {
    throw new ConfigurationError(
      `${where}: a nested run ends with its call, and none is detached. For a run that outlives its call use troupe.start with { runId: idempotencyKey }.`,
    )
  }
  if (name !== undefined && (typeof name !== 'string' || name.trim() === '')) {
    throw new ConfigurationError(`${where}: name must be a text that is not empty.`)
  }
  const { started: outer, budget, depth } = call
  const place = call.place(name)
  const { resourceId, conversationId, context } = outer
  const limits = budget?.within(budgetOf(definition.settings.budget, given.budget), host.clock.now())
  const options = {
    ...(resourceId === undefined ? {} : { resourceId }),
    ...(conversationId === undefined ? {} : { conversationId }),
    ...(context === undefined ? {} : { context }),
    ...withTrace(traceIn(outer), given),
    ...(limits === undefined ? {} : { budget: limits }),
    runId: given.runId ?? nestedId(place),
  }
  host.admit?.(definition, where)
  const spec = host.begin(definition, prompt, options, outer.stream, host.clock)
  const { settings } = spec.started
  if (settings.hooks.length > 0 || settings.completion !== undefined) {
    throw new ConfigurationError(
      `${where}: a nested run may go on in another process, which does not have functions that were given here. Give them with the definition of the agent.`,
    )
  }
  const levels = settings.maxDepth ?? definition.settings.maxDepth ?? depth
  const started: RunStarted = {
    ...spec.started,
    settings: { ...settings, maxDepth: Math.min(depth, levels) },
    nested: place,
  }
  if (budget === undefined) return { ...spec, started }
  const tell = (spending: Spending): void => call.spent(started.runId, spending)
  return { ...spec, started, spendsWithin: { budget, tell } }
}

/** Throws a `NestedRunError` where the run that was found was begun otherwise. */
function assertSame(found: RunStarted, asked: RunStarted): void {
  switch (differenceOf(found, asked)) {
    case 'agent':
      throw differs(asked, `for the agent "${found.agent}"`)
    case 'nested':
      throw differs(asked, 'by another call')
    case 'prompt':
      throw differs(asked, 'with another prompt')
    case undefined:
  }
}

/** The first part of its start that differs. */
function differenceOf(found: RunStarted, asked: RunStarted): 'agent' | 'nested' | 'prompt' | undefined {
  if (found.agent !== asked.agent) return 'agent'
  if (isOther('nested', found, asked)) return 'nested'
  return (['task', 'content', 'history'] as const).some((part) => isOther(part, found, asked))
    ? 'prompt'
    : undefined
}

/** Whether both are of the same agent, the same prompt and the same call. */
export function isSameTask(found: RunStarted, asked: RunStarted): boolean {
  return differenceOf(found, asked) === undefined
}

function isOther(part: keyof RunStarted, found: RunStarted, asked: RunStarted): boolean {
  return JSON.stringify(found[part]) !== JSON.stringify(asked[part])
}

function differs({ runId, nested }: RunStarted, how: string): NestedRunError {
  const name = typeof nested?.name === 'string' ? `the name "${nested.name}"` : `place ${nested?.name}`
  return new NestedRunError(
    'NESTED_RUN_DIFFERS',
    `The run "${runId}" was begun ${how} under ${name} of this call. Begin the same runs in the same order in each attempt, or give each a name.`,
    { runId },
  )
}
