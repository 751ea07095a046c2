/**
 * The handle of a run on Restate: it follows the run by reading its journals, and sends signals through the ingress.
 */
import { agentAt, agentPath, isSuccessor } from '../../actors/actor-path.ts'
import { SignalError, type ErrorData } from '../../errors.ts'
import type { Content } from '../../actors/content/content.ts'
import type { JsonValue } from '../../actors/values/json.ts'
import type { Schema } from '../../actors/schemas/schema.ts'
import type { TraceContext } from '../../actors/strict/trace-context.ts'
import type { ToolResultRecord } from '../../machines/contract/records.ts'
import { readCursor, type ReaderPosition } from '../../runtime/handle/cursor.ts'
import type { RunEvent } from '../../runtime/handle/run-event.ts'
import { systemEnvironment } from '../../runtime/environment.ts'
import { hookTimeoutOf } from '../../runtime/definition/profile.ts'
import { lookUp } from '../../runtime/definition/registry.ts'
import type { BlobStorage } from '../../runtime/files/blob-storage.ts'
import { lostRun } from '../../runtime/journal/lost-run.ts'
import { unobserved } from '../../runtime/quietly.ts'
import type { FinalResult, RunResult } from '../../runtime/handle/result.ts'
import { shapedResult } from '../../runtime/handle/shaped-result.ts'
import { ReportedPromise } from '../../runtime/reported-promise.ts'
import { resultOf, suspendedResult } from '../../runtime/state/run-results.ts'
import { textOf } from '../../runtime/handle/text-stream.ts'
import { refusedSaying } from '../../runtime/state/signals/taken-sayings.ts'
import { readSignal, undelivered } from '../../runtime/handle/read-signal.ts'
import {
  answerSignal,
  cancelSignal,
  saySignal,
  type Answer,
  type ApprovalAnswer,
  type ApproveAnswer,
  type CancelOptions,
  type RunSignal,
  type SayOptions,
} from '../../runtime/handle/run.ts'
import { keptSay, withId, type Say } from '../../runtime/run/saying.ts'
import type { RunIngress, WorkflowAddress } from './ingress.ts'
import { UnconfirmedSignals } from './unconfirmed-signals.ts'
import { givenUp, RunWatch, type RunWatchOptions } from './run-watch.ts'
import type { Tell, Told } from '../wire/wire.ts'

/** `Object` is the type that `structuredOutput` makes of the answer. */
export interface RestateRun<
  Object = unknown,
  Result extends ToolResultRecord = ToolResultRecord,
  Event extends RunEvent = RunEvent,
> {
  readonly id: string
  /**
   * All events from the first on, and then as they happen. The events of a run that Restate has given up end without a
   * `final` event. Rejects when the agents here do not fit the journal.
   */
  readonly events: AsyncIterable<Event>
  /**
   * As `events`, from behind the event with this `cursor` on, which holds a place for each workflow under way. Throws a
   * `ConfigurationError` for a text that is no cursor, and for a cursor of another run.
   */
  eventsAfter(cursor: string): AsyncIterable<Event>
  /**
   * The text of the root agent; after a bail, the bailing agent's. Text that a worker streamed before it died is kept,
   * and the next attempt continues it if it begins with the same words. Throws at its end the rejection of `result`,
   * and the error of a run that has `failed`.
   */
  readonly textStream: AsyncIterable<string>
  /**
   * Settles at the end. Rejects with a `TroupeError` that has the `runId` when Restate has given the run up: its
   * journal has no end. A run that Restate has paused is in progress: it goes on when it is resumed there.
   */
  readonly result: Promise<FinalResult<Object, Result>>
  /** Settles at the end, or when the run is suspended. Rejects as `result`. */
  readonly whenIdle: Promise<RunResult<Object, Result>>
  /** Lets a held tool call run. Rejects with a `SignalError` for an unknown, answered or late `toolCallId`. */
  approve(toolCallId: string, answer?: ApproveAnswer): Promise<void>
  /** Ends a held tool call without running it; the model receives the reason. Errors as `approve`. */
  deny(toolCallId: string, reason?: string, answer?: ApprovalAnswer): Promise<void>
  /** Continues a suspended tool call; `data` must be expressible as JSON. Errors as `approve`. */
  resume(toolCallId: string, data?: JsonValue, answer?: Answer): Promise<void>
  /** Ends the run as `cancelled`, or one delegation of it. Errors as `approve`. */
  cancel(reason?: string, options?: CancelOptions): Promise<void>
  /** Says something to the agent that holds the conversation, as `say` of a run of `createTroupe`. */
  say(message: Content, options?: SayOptions): Promise<void>
  /** Any of them, as data. */
  signal(signal: RunSignal): Promise<void>
}

export interface RemoteRunOptions extends RunWatchOptions {
  readonly ingress: RunIngress
  readonly schema: Schema | undefined
  /** The blobs of the store that client and workers share. */
  readonly blobs: BlobStorage | undefined
}

export class RemoteRun implements RestateRun {
  readonly id: string
  readonly events: AsyncIterable<RunEvent>
  readonly textStream: AsyncIterable<string>
  readonly #options: RemoteRunOptions
  readonly #watch: RunWatch
  readonly #outstanding: UnconfirmedSignals
  #result: Promise<FinalResult> | undefined

  constructor(options: RemoteRunOptions) {
    this.#options = options
    this.id = options.id
    this.#watch = new RunWatch(options)
    this.#outstanding = new UnconfirmedSignals(this.#watch.tree)
    this.events = { [Symbol.asyncIterator]: () => this.#watch.events() }
    this.textStream = {
      [Symbol.asyncIterator]: () => textOf(this.#watch.events(), () => this.result),
    }
  }

  eventsAfter(cursor: string): AsyncIterable<RunEvent> {
    const position = (): ReaderPosition => readCursor(cursor, this.id, 'eventsAfter')
    position() // a wrong cursor is refused at once
    return { [Symbol.asyncIterator]: () => this.#watch.events(position()) }
  }

  get result(): Promise<FinalResult> {
    this.#result ??= unobserved(this.#end())
    return this.#result
  }

  get whenIdle(): Promise<RunResult> {
    return unobserved(this.#idle())
  }

  approve(toolCallId: string, answer?: ApproveAnswer): Promise<void> {
    return this.#send(() => answerSignal({ type: 'approve', toolCallId }, answer))
  }

  deny(toolCallId: string, reason?: string, answer?: ApprovalAnswer): Promise<void> {
    const signal = { type: 'deny', toolCallId, ...(reason === undefined ? {} : { reason }) } as const
    return this.#send(() => answerSignal(signal, answer))
  }

  resume(toolCallId: string, data?: JsonValue, answer?: Answer): Promise<void> {
    const signal = { type: 'resume', toolCallId, ...(data === undefined ? {} : { data }) } as const
    return this.#send(() => answerSignal(signal, answer))
  }

  cancel(reason?: string, options?: CancelOptions): Promise<void> {
    return this.#send(() => cancelSignal(reason, options))
  }

  say(message: Content, options?: SayOptions): Promise<void> {
    return this.#send(() => saySignal(message, options))
  }

  signal(signal: RunSignal): Promise<void> {
    return this.#send(() => signal)
  }

  #send(make: () => RunSignal): Promise<void> {
    const sending = async (): Promise<void> => this.#signal(readSignal(make()))
    return ReportedPromise.of(sending(), (error) => this.#options.report(undelivered(this.id, error)))
  }

  async #signal(signal: RunSignal): Promise<void> {
    const { agent, registry } = this.#options
    if (signal.type === 'say') return this.#say(signal)
    const id = signal.type === 'cancel' ? signal.delegationId : signal.toolCallId
    const owner = id === undefined ? { agent, path: agent } : await this.#ownerOf(id)
    if (!registry.has(owner.agent)) {
      const message = `Cannot ${signal.type} "${id}": no agent of the run "${this.id}" has it.`
      throw new SignalError('UNKNOWN_SIGNAL', id ?? '', message)
    }
    // The journal is the source for delegations in progress; the workflow is the source for its open questions.
    if (signal.type === 'cancel' && id !== undefined) return this.#cancelDelegation(signal, id, owner)
    const told = await this.#tell(signal, owner)
    if (told === null) this.#outstanding.cancelled()
    else if ('refused' in told) throw signalError(told.refused, id ?? this.id)
    else if ('answered' in told) this.#outstanding.answered(told.answered, owner.path)
  }

  /** Sends the cancel again while the workflow that delegates has not begun: its journal is known before. */
  async #cancelDelegation(signal: RunSignal, id: string, owner: Owner): Promise<void> {
    for (let isOver = false; !isOver; isOver = await this.#pauseOrEnd()) {
      await this.#watch.lookAtAll()
      this.#outstanding.claimCancel(id, owner.path)
      let isHeard = false
      try {
        isHeard = (await this.#tell(signal, owner)) === null
      } finally {
        if (!isHeard) this.#outstanding.giveBackCancel(id, owner.path)
      }
      if (isHeard) return
    }
  }

  /** Resolves when the journal says that the agent has taken the message. */
  async #say(given: Say): Promise<void> {
    const { agent, blobs: storage } = this.#options
    const { clock, newId } = systemEnvironment
    const say = withId(given, newId)
    const signal = await keptSay(say, { runId: this.id, storage, clock, timeout: this.#hookTimeout })
    let isTold = false
    for (let isOver = false; !isOver; isOver = await this.#pauseOrEnd()) {
      if (!isTold) {
        const told = await this.#tell(signal, { agent, path: agent })
        if (told !== null && 'refused' in told) throw signalError(told.refused, this.id)
        isTold = told !== null && 'said' in told
      }
      if (await this.#hasTaken(say.id)) return
    }
    if (await this.#hasTaken(say.id)) return
    throw refusedSaying(say.id, 'SIGNAL_TOO_LATE')
  }

  /** That of the agent, until the options of the run are read. */
  get #hookTimeout(): number {
    const { agent, registry } = this.#options
    const { settings } = lookUp(registry, agent)
    return this.#watch.tree.root?.hookTimeout ?? hookTimeoutOf(settings, settings)
  }

  /** Throws a `SignalError` for a message that the agent has refused. */
  async #hasTaken(id: string): Promise<boolean> {
    await this.#watch.lookAtAll()
    return this.#watch.tree.root?.state.sayings.isTaken(id) === true
  }

  /** Sets the trace context of the effects of the root agent, and of subagents that begin, from now on. */
  async trace(trace: TraceContext): Promise<void> {
    const { agent } = this.#options
    for (let isOver = false; !isOver; isOver = await this.#pauseOrEnd()) {
      if ((await this.#tell({ type: 'trace', ...trace }, { agent, path: agent })) === null) return
    }
  }

  async #tell(signal: Tell['signal'], owner: Owner): Promise<Told> {
    const told = await this.#options.ingress.tell({ runId: this.id, ...owner }, { at: Date.now(), signal })
    this.#watch.tree.wake()
    return told
  }

  /** Returns the owner of an actor. A successor runs in the workflow in which its conversation began. */
  async #ownerOf(id: string): Promise<Owner> {
    const owner = { path: agentPath(id), agent: agentAt(id) }
    if (!isSuccessor(owner.path)) return owner
    await this.#watch.lookAtAll()
    return this.#watch.tree.part(owner.path) ?? owner
  }

  async #end(): Promise<FinalResult> {
    const { ingress, agent, schema } = this.#options
    const report = await ingress.report({ runId: this.id, agent, path: agent })
    if ('error' in report) throw givenUp(this.id, report.error)
    return shapedResult(report.result ?? (await this.#resultOfJournals()), schema)
  }

  /** Returns the result of a run that has ended, where it is too large to be sent. */
  async #resultOfJournals(): Promise<FinalResult> {
    try {
      for (;;) {
        await this.#watch.lookAtAll()
        const { root } = this.#watch.tree
        if (root?.output !== undefined) return resultOf(root.state, root.output)
        await this.#watch.pause() // the server is unavailable
      }
    } catch (error) {
      throw lostRun(this.id, error)
    }
  }

  async #idle(): Promise<RunResult> {
    const end = this.result
    for (;;) {
      await this.#watch.look()
      const state = this.#watch.tree.root?.state
      if (this.#watch.tree.hasEnded) return end
      if (state?.isSuspended === true && !this.#outstanding.isAny) {
        const awaiting = state.awaiting()
        await this.#watch.untilListed(awaiting)
        if (!state.isSuspended) continue
        return { ...suspendedResult(state), errors: this.#watch.tree.errors() }
      }
      if (await this.#pauseOrEnd()) return end
    }
  }

  /** Resolves with whether the run has ended. */
  #pauseOrEnd(): Promise<boolean> {
    return Promise.race([this.result.then(() => true), this.#watch.pause().then(() => false)])
  }
}

/** The agent whose workflow receives the signal. */
type Owner = Pick<WorkflowAddress, 'agent' | 'path'>

function signalError({ code, message }: ErrorData, id: string): SignalError {
  return new SignalError(code as SignalErrorCode, id, message)
}

type SignalErrorCode = ConstructorParameters<typeof SignalError>[0]
