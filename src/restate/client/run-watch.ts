/** Polls the journals of a run while it has readers. */
import { sleep } from '../../actors/values/timer.ts'
import { errorOf, toErrorData, TroupeError, type ErrorData, type JournalMismatch } from '../../errors.ts'
import type { AwaitedSignal } from '../../machines/contract/events.ts'
import { noContext } from '../../runtime/async-context.ts'
import { ReaderPosition } from '../../runtime/handle/cursor.ts'
import type { EventReader } from '../../runtime/handle/event-reader.ts'
import { leavable } from '../../runtime/handle/leavable.ts'
import type { RunEvent } from '../../runtime/handle/run-event.ts'
import type { OpenQuestion } from '../../runtime/journal/run-index.ts'
import type { AgentRegistry } from '../../runtime/definition/registry.ts'
import type { Reporter } from '../../runtime/report.ts'
import { subscribed } from '../../runtime/subscribed.ts'
import type { DeltaSource } from '../deltas/deltas.ts'
import type { RunIngress } from './ingress.ts'
import { TreeReplay } from './tree-replay.ts'

export interface RunWatchOptions {
  readonly id: string
  /** The root agent's id. */
  readonly agent: string
  readonly registry: AgentRegistry
  readonly ingress: Pick<RunIngress, 'read' | 'loss'>
  /** Milliseconds between two polls of the journals of a run that is watched. */
  readonly pollInterval: number
  readonly deltas: DeltaSource | undefined
  readonly report: Reporter
  /** The open questions of a run as lists have them. `undefined`: there are no lists. */
  readonly listQuestions: ((runId: string) => Promise<readonly OpenQuestion[]>) | undefined
  /** Called with each effect whose input differs from the recorded one. Default: such an effect is a mismatch. */
  readonly onDiverged?: (difference: JournalMismatch) => void
}

/** The number of polls between two checks whether Restate has given the run up. */
const looksPerCheck = 40

export class RunWatch {
  readonly tree: TreeReplay
  readonly #options: RunWatchOptions
  #isFollowed = false
  #failure: Error | undefined
  /** The error of a run that will come to no end of its own, once that is known. */
  #lost: ErrorData | undefined
  #looking: Promise<void> = Promise.resolve()

  constructor(options: RunWatchOptions) {
    const { id, agent, registry, ingress, onDiverged } = options
    this.#options = options
    this.tree = new TreeReplay({
      registry,
      agent,
      onDiverged,
      read: (of, path, from) => ingress.read({ runId: id, agent: of, path }, { from }),
    })
  }

  /** `position`: where the reader goes on. Default: from the first event on. */
  events(position = new ReaderPosition()): AsyncIterableIterator<RunEvent> {
    let reader: EventReader | undefined
    const opened = (): EventReader => (reader = this.tree.log.read({ position }))
    return leavable(this.#read(opened), () => reader?.return())
  }

  async *#read(opened: () => EventReader): AsyncGenerator<RunEvent, void> {
    const reader = opened()
    try {
      void noContext.run(() => this.#follow())
      for await (const event of reader) {
        if (event.type === 'suspended') await this.untilListed(event.payload.awaiting)
        yield event
      }
      if (this.#failure !== undefined) throw this.#failure
    } finally {
      await reader.return()
    }
  }

  /**
   * Waits until lists have these questions, for Restate's index may be behind the journal; or until the run does not wait for
   * them any more. Without lists it waits for nothing.
   */
  async untilListed(asked: readonly AwaitedSignal[]): Promise<void> {
    while (this.#waitsFor(asked) && !(await this.#areListed(asked))) await this.pause()
  }

  #waitsFor(asked: readonly AwaitedSignal[]): boolean {
    const state = this.tree.root?.state
    if (state?.isSuspended !== true || this.tree.log.hasEnded) return false
    return has(state.awaiting(), asked)
  }

  /** Where the index cannot be asked, the questions are told as they are in the journal. */
  async #areListed(asked: readonly AwaitedSignal[]): Promise<boolean> {
    const { id: runId, listQuestions, report } = this.#options
    if (listQuestions === undefined) return true
    try {
      return has(await listQuestions(runId), asked)
    } catch (error) {
      report({
        message: 'the questions of a run could not be listed',
        code: 'QUESTIONS_NOT_LISTED',
        where: 'store',
        error,
        runId,
      })
      return true
    }
  }

  /** Whether the run cannot be followed any more, although it has not ended. */
  get isBroken(): boolean {
    return this.tree.log.hasEnded && !this.tree.log.isFinal
  }

  /** The error of a run that Restate has given up. */
  get givenUp(): TroupeError | undefined {
    return this.#lost && givenUp(this.#options.id, this.#lost)
  }

  /** Polls until the run has no reader, or has ended. */
  async #follow(): Promise<void> {
    const { log } = this.tree
    if (this.#isFollowed) return
    this.#isFollowed = true
    const leave = this.#subscribe()
    for (let looks = 1; log.hasReaders; looks++) {
      try {
        const loss = looks % looksPerCheck === 0 ? await this.#loss() : undefined
        await this.look()
        if (loss !== undefined) log.end() // `result` rejects with the error
      } catch (error) {
        // For a run that was given up `result` rejects with the error.
        if ((await this.#loss()) === undefined) this.#failure = asError(error)
        log.end()
      }
      if (!log.hasEnded) await this.pause()
    }
    this.#isFollowed = false
    leave?.()
  }

  /** Without deltas the messages come whole, from the journals. */
  #subscribe(): (() => void) | undefined {
    const { id: runId, deltas, report } = this.#options
    if (deltas === undefined) return undefined
    const message = `the deltas of the run "${runId}" cannot be read; its messages come whole`
    return subscribed(
      () => deltas.subscribe(runId, (delta) => this.tree.log.hear(delta)),
      (error) => report({ message, code: 'DELTAS_NOT_READ', where: 'observer', error, runId }),
    )
  }

  /** Reads the entries that exist by now; one poll after the other. */
  async look(): Promise<void> {
    const before = this.#looking
    const look = before.then(() => this.tree.pump())
    this.#looking = look.catch(() => undefined) // the caller gets the error
    try {
      await look
    } catch (error) {
      if (!isPassing(error)) throw error
    }
  }

  /** As `look`, and also polls workflows that have long been quiet. */
  lookAtAll(): Promise<void> {
    this.tree.wake()
    return this.look()
  }

  async pause(): Promise<void> {
    await sleep(this.#options.pollInterval)
  }

  /** Returns the error of a run that will come to no end of its own. Its journal does not hold that. */
  async #loss(): Promise<ErrorData | undefined> {
    const { id, ingress, agent } = this.#options
    this.#lost ??= await ingress.loss({ runId: id, agent, path: agent })
    return this.#lost
  }
}

function has(open: readonly AwaitedSignal[], asked: readonly AwaitedSignal[]): boolean {
  const ids = new Set(open.map(({ toolCallId }) => toolCallId))
  return asked.every(({ toolCallId }) => ids.has(toolCallId))
}

/** The error of a run that Restate has given up: its journal has no end, and so no outcome. */
export function givenUp(runId: string, { message, ...error }: ErrorData): TroupeError {
  return errorOf({ ...error, message: `The run "${runId}" does not go on by itself: ${message}` }, runId)
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(toErrorData(error).message)
}

/** Whether an error may pass: the server may be unavailable for a while. */
function isPassing(error: unknown): boolean {
  return error instanceof TroupeError && error.code === 'RESTATE_UNREACHABLE'
}
