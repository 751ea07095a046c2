/** The handle of a run on Restate: it is watched by reading its journals, and told things through the ingress. */
import { SignalError, toErrorData, TroupeError, type ErrorData } from '../errors.ts'
import type { JsonValue } from '../actors/json.ts'
import type { Schema } from '../actors/schema.ts'
import type { RunEvent } from '../runtime/event-log.ts'
import type { AgentRegistry } from '../runtime/registry.ts'
import { shapedResult, type FinalResult, type RunResult } from '../runtime/result.ts'
import { resultOf, suspendedResult } from '../runtime/run-results.ts'
import { textOf } from '../runtime/text-of.ts'
import { cancelSignal, type CancelOptions, type RunSignal } from '../runtime/run.ts'
import type { DeltaSource } from './deltas.ts'
import type { RunIngress, WorkflowAddress } from './ingress.ts'
import { isSuccessor, ownerOf } from './names.ts'
import { Outstanding } from './outstanding.ts'
import { TreeReplay } from './tree-replay.ts'
import type { Told } from './wire.ts'

/** `Object` is what `structuredOutput` makes of the answer. */
export interface RestateRun<Object = unknown> {
  readonly id: string
  /**
   * All events from the first on, and then as they happen. Rejects when the agents here do not fit the journal, and at the
   * end of a run that Restate has given up.
   */
  readonly events: AsyncIterable<RunEvent>
  /**
   * The text of the root agent; after a bail, the bailing agent's. What was streamed by a worker that died stands, and the
   * next attempt goes on from it if it begins with the same words.
   */
  readonly textStream: AsyncIterable<string>
  /**
   * Settles at the end. A workflow that Restate has given up is `failed`. One that it has paused is under way: it goes on
   * when somebody resumes it.
   */
  readonly result: Promise<FinalResult<Object>>
  /** Settles at the end, or when only a person can go on. */
  readonly whenIdle: Promise<RunResult<Object>>
  /** Lets a held tool call run. Rejects with a `SignalError` for an unknown, answered or late `toolCallId`. */
  approve(toolCallId: string): Promise<void>
  /** Ends a held tool call without running it; the model is told the reason. Errors as `approve`. */
  deny(toolCallId: string, reason?: string): Promise<void>
  /** Goes on with a suspended tool call; `data` must be expressible as JSON. Errors as `approve`. */
  resume(toolCallId: string, data?: JsonValue): Promise<void>
  /** Ends the run as `cancelled`, or one delegation of it. Errors as `approve`. */
  cancel(reason?: string, options?: CancelOptions): Promise<void>
  /** Any of the four, as data. */
  signal(signal: RunSignal): Promise<void>
}

export interface RemoteRunOptions {
  readonly id: string
  /** The root agent's id. */
  readonly agent: string
  readonly schema: Schema | undefined
  readonly registry: AgentRegistry
  readonly ingress: RunIngress
  /** Milliseconds between two looks at the journals of a run that is watched. */
  readonly pollInterval: number
  readonly deltas: DeltaSource | undefined
}

/** How often somebody who reads along looks before asking whether Restate has given the run up. */
const looksPerCheck = 40

export class RemoteRun implements RestateRun {
  readonly id: string
  readonly events: AsyncIterable<RunEvent>
  readonly textStream: AsyncIterable<string>
  readonly #options: RemoteRunOptions
  readonly #tree: TreeReplay
  readonly #outstanding: Outstanding
  #result: Promise<FinalResult> | undefined
  #isFollowed = false
  #failure: Error | undefined
  #looking: Promise<void> = Promise.resolve()

  constructor(options: RemoteRunOptions) {
    const { id, agent, registry, ingress } = options
    this.#options = options
    this.id = id
    this.#tree = new TreeReplay({
      registry,
      agent,
      read: (of, path, from) => ingress.read({ runId: id, agent: of, path }, { from }),
    })
    this.#outstanding = new Outstanding(this.#tree)
    this.events = { [Symbol.asyncIterator]: () => this.#events() }
    this.textStream = {
      [Symbol.asyncIterator]: () => textOf(this.#events(), () => this.result),
    }
  }

  get result(): Promise<FinalResult> {
    this.#result ??= this.#end()
    return this.#result
  }

  get whenIdle(): Promise<RunResult> {
    return this.#idle()
  }

  approve(toolCallId: string): Promise<void> {
    return this.signal({ type: 'approve', toolCallId })
  }

  deny(toolCallId: string, reason?: string): Promise<void> {
    return this.signal({ type: 'deny', toolCallId, ...(reason === undefined ? {} : { reason }) })
  }

  resume(toolCallId: string, data?: JsonValue): Promise<void> {
    return this.signal({ type: 'resume', toolCallId, ...(data === undefined ? {} : { data }) })
  }

  cancel(reason?: string, options?: CancelOptions): Promise<void> {
    return this.signal(cancelSignal(reason, options))
  }

  async signal(signal: RunSignal): Promise<void> {
    const { agent, registry } = this.#options
    const id = signal.type === 'cancel' ? signal.delegationId : signal.toolCallId
    const owner = id === undefined ? { agent, path: agent } : await this.#ownerOf(id)
    if (!registry.has(owner.agent)) {
      const message = `Cannot ${signal.type} "${id}": no agent of the run "${this.id}" has it.`
      throw new SignalError('UNKNOWN_SIGNAL', id ?? '', message)
    }
    // What is under way is told by the journal; what is asked, the workflow knows best.
    if (signal.type === 'cancel' && id !== undefined) return this.#cancelDelegation(signal, id, owner)
    const told = await this.#tell(signal, owner)
    if (told === null) this.#outstanding.cancelled()
    else if ('refused' in told) throw signalError(told.refused, id ?? this.id)
    else this.#outstanding.answered(told.answered, owner.path)
  }

  async #cancelDelegation(signal: RunSignal, id: string, owner: Owner): Promise<void> {
    await this.#lookAtAll()
    this.#outstanding.claimCancel(id, owner.path)
    try {
      await this.#tell(signal, owner)
    } catch (error) {
      this.#outstanding.giveBackCancel(id, owner.path)
      throw error
    }
  }

  async #tell(signal: RunSignal, owner: Owner): Promise<Told> {
    const told = await this.#options.ingress.tell({ runId: this.id, ...owner }, { at: Date.now(), signal })
    this.#tree.wake()
    return told
  }

  /** Whoever goes on with a conversation does so in the workflow that it began in. */
  async #ownerOf(id: string): Promise<Owner> {
    const owner = ownerOf(id)
    if (!isSuccessor(owner.path)) return owner
    await this.#lookAtAll()
    return this.#tree.part(owner.path) ?? owner
  }

  async #end(): Promise<FinalResult> {
    const { ingress, agent, schema } = this.#options
    const report = await ingress.report({ runId: this.id, agent, path: agent })
    if ('error' in report) return failedRun(this.id, report.error)
    return shapedResult(report.result ?? (await this.#resultOfJournals()), schema)
  }

  /** Why it will come to no end of its own. Its journal does not say. */
  #loss(): Promise<ErrorData | undefined> {
    const { ingress, agent } = this.#options
    return ingress.loss({ runId: this.id, agent, path: agent })
  }

  /** Of a run that has ended: for a result that is too large to be handed over. */
  async #resultOfJournals(): Promise<FinalResult> {
    try {
      for (;;) {
        await this.#lookAtAll()
        const { root } = this.#tree
        if (root?.output !== undefined) return resultOf(root.engine, root.output)
        await this.#pause() // the server is away
      }
    } catch (error) {
      return failedRun(this.id, toErrorData(error))
    }
  }

  async #idle(): Promise<RunResult> {
    const end = this.result
    for (;;) {
      await this.#look()
      const engine = this.#tree.root?.engine
      if (this.#tree.hasEnded) return end
      if (engine?.isSuspended === true && !this.#outstanding.isAny) return suspendedResult(engine)
      const isOver = await Promise.race([end.then(() => true), this.#pause()])
      if (isOver === true) return end
    }
  }

  async *#events(): AsyncGenerator<RunEvent> {
    const { log } = this.#tree
    const reader = log.read()
    try {
      void this.#follow()
      yield* reader
      if (this.#failure !== undefined) throw this.#failure
    } finally {
      await reader.return?.()
    }
  }

  /** Reads on as long as somebody reads along, and until the end. */
  async #follow(): Promise<void> {
    const { log } = this.#tree
    if (this.#isFollowed) return
    this.#isFollowed = true
    const leave = this.#options.deltas?.subscribe(this.id, (delta) => log.hear(delta))
    for (let looks = 1; log.hasReaders; looks++) {
      try {
        const loss = looks % looksPerCheck === 0 ? await this.#loss() : undefined
        await this.#look()
        if (loss !== undefined && !log.hasEnded) throw new TroupeError(loss.code, loss.message)
      } catch (error) {
        this.#failure = error instanceof Error ? error : new Error(toErrorData(error).message)
        log.end()
      }
      if (!log.hasEnded) await this.#pause()
    }
    this.#isFollowed = false
    leave?.()
  }

  /** Reads what there is by now; one look after the other. */
  async #look(): Promise<void> {
    const before = this.#looking
    const look = before.then(() => this.#tree.pump())
    this.#looking = look.catch(() => undefined) // whoever looked is told
    try {
      await look
    } catch (error) {
      if (!isPassing(error)) throw error
    }
  }

  /** Also at those that have long been quiet. */
  #lookAtAll(): Promise<void> {
    this.#tree.wake()
    return this.#look()
  }

  async #pause(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, this.#options.pollInterval))
  }
}

/** The agent whose workflow is told. */
type Owner = Pick<WorkflowAddress, 'agent' | 'path'>

/** The server may be away for a while. */
function isPassing(error: unknown): boolean {
  return error instanceof TroupeError && error.code === 'RESTATE_UNREACHABLE'
}

function signalError({ code, message }: ErrorData, id: string): SignalError {
  return new SignalError(code as SignalErrorCode, id, message)
}

type SignalErrorCode = ConstructorParameters<typeof SignalError>[0]

function failedRun(runId: string, error: ErrorData): FinalResult {
  const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0, byAgent: {} }
  return { runId, outcome: 'failed', text: '', error, delegations: [], scores: [], steps: [], usage }
}
