/**
 * What a run was told and has not shown in its journals yet. A workflow hears of an answer later than the one who gives
 * it, and a parent hears later still what its subagent waits for: until then nobody can say that it waits for people.
 */
import { agentPath } from '../../actors/actor-path.ts'
import { OpenSignals, type OpenSignal } from '../../runtime/engine/signals/open-signals.ts'
import type { TreeReplay } from './tree-replay.ts'

export class UnconfirmedSignals {
  readonly #tree: TreeReplay
  /** Answers by the keys of their questions, each with the path of the agent that asks. */
  readonly #answers = new Map<string, string>()
  #isCancelled = false

  constructor(tree: TreeReplay) {
    this.#tree = tree
  }

  /** Throws a `SignalError` for a delegation that is not under way. */
  claimCancel(delegationId: string, path: string): void {
    const desk = this.#deskOf(path) ?? new OpenSignals()
    desk.claimCancel(delegationId)
  }

  /** It could not be told. */
  giveBackCancel(delegationId: string, path: string): void {
    this.#deskOf(path)?.cancelled(delegationId)
  }

  /** The whole run. */
  cancelled(): void {
    this.#isCancelled = true
  }

  answered(key: string, path: string): void {
    this.#answers.set(key, path)
  }

  /** Whether what the journals say that is waited for may be out of date. */
  get isAny(): boolean {
    return this.#isCancelled || this.#isAnswering() || this.#isCancelling() || this.#isOutOfDate()
  }

  #isAnswering(): boolean {
    return [...this.#answers].some(([key, path]) => {
      const open: readonly OpenSignal[] = this.#deskOf(path)?.toJSON().open ?? []
      return open.some((question) => question.key === key)
    })
  }

  /** The cancel of a delegation is on its way. */
  #isCancelling(): boolean {
    return [...this.#tree.branches()].some(({ replay }) => {
      const { isClosed = true, isAnswering = false } = replay?.engine.signals ?? {}
      return !isClosed && isAnswering
    })
  }

  /** What the root agent says of its subagents is not what these say. */
  #isOutOfDate(): boolean {
    const awaiting = this.#tree.root?.engine.awaiting() ?? []
    return awaiting.some((one) => {
      const asking = this.#tree.part(agentPath(one.toolCallId))?.replay?.engine.awaiting()
      return asking?.some((other) => JSON.stringify(other) === JSON.stringify(one)) === false
    })
  }

  #deskOf(path: string): OpenSignals | undefined {
    return this.#tree.part(path)?.replay?.engine.signals
  }
}
