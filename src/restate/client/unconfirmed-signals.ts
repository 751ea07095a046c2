/**
 * Signals that were sent to a run and are not in its journals yet. A workflow receives an answer after its sender gives
 * it, and a parent receives the holds of its subagent even later: until then the run is not known to be suspended.
 */
import { agentPath } from '../../actors/actor-path.ts'
import { OpenSignals, type OpenSignal } from '../../runtime/state/signals/open-signals.ts'
import type { TreeReplay } from './tree-replay.ts'

export class UnconfirmedSignals {
  readonly #tree: TreeReplay
  /** The path of the agent that waits for each answer, by the key of its question. */
  readonly #answers = new Map<string, string>()
  #isCancelled = false

  constructor(tree: TreeReplay) {
    this.#tree = tree
  }

  /** Claims the cancel of a delegation. Throws a `SignalError` for a delegation that is not in progress. */
  claimCancel(delegationId: string, path: string): void {
    const signals = this.#signalsOf(path) ?? new OpenSignals()
    signals.claimCancel(delegationId)
  }

  /** Takes back a cancel that could not be delivered. */
  giveBackCancel(delegationId: string, path: string): void {
    this.#signalsOf(path)?.cancelled(delegationId)
  }

  /** The whole run was cancelled. */
  cancelled(): void {
    this.#isCancelled = true
  }

  answered(key: string, path: string): void {
    this.#answers.set(key, path)
  }

  /** Whether the awaited signals in the journals may be out of date. */
  get isAny(): boolean {
    return this.#isCancelled || this.#isAnswering() || this.#isCancelling() || this.#isOutOfDate()
  }

  #isAnswering(): boolean {
    return [...this.#answers].some(([key, path]) => {
      const open: readonly OpenSignal[] = this.#signalsOf(path)?.toJSON().open ?? []
      return open.some((question) => question.key === key)
    })
  }

  /** Whether the cancel of a delegation is not delivered yet. */
  #isCancelling(): boolean {
    return [...this.#tree.branches()].some(({ replay }) => {
      const { isClosed = true, isAnswering = false } = replay?.state.signals ?? {}
      return !isClosed && isAnswering
    })
  }

  /** Whether the awaited signals in the journal of the root agent differ from those of its subagents. */
  #isOutOfDate(): boolean {
    const awaiting = this.#tree.root?.state.awaiting() ?? []
    return awaiting.some((one) => {
      const asking = this.#tree.part(agentPath(one.toolCallId))?.replay?.state.awaiting()
      return asking?.some((other) => JSON.stringify(other) === JSON.stringify(one)) === false
    })
  }

  #signalsOf(path: string): OpenSignals | undefined {
    return this.#tree.part(path)?.replay?.state.signals
  }
}
