/** The open questions of a run, read from its journal without affecting the run. */
import { RunNotFoundError } from '../../errors.ts'
import { deliverChecked, resumeFrom } from './deliver-journal.ts'
import { RunAgentParts } from '../agents/run-parts.ts'
import { hookTimeoutOf } from '../definition/profile.ts'
import { lookUp } from '../definition/registry.ts'
import { assertArgumentsFit } from '../state/signals/changed-arguments.ts'
import { startedOf, type JournalEntry, type RunStarted } from '../journal/journal.ts'
import { RunState } from '../state/run-state.ts'
import type { OpenSignals } from '../state/signals/open-signals.ts'
import type { TakenSayings } from '../state/signals/taken-sayings.ts'
import type { AgentRegistry } from '../definition/registry.ts'
import { withAgents } from '../cannot-go-on.ts'
import { registryOf, type RunRegistry } from '../agents/run-registry.ts'
import type { InterpreterName } from '../interpreter/interpreter.ts'
import type { RunStore } from '../journal/store.ts'

export class SignalsOfJournal {
  readonly #state: RunState
  readonly #run: {
    readonly registry: RunRegistry
    readonly started: RunStarted
    readonly parts: RunAgentParts
  }

  /** Throws a `JournalMismatchError`. */
  constructor(registry: AgentRegistry, journal: readonly JournalEntry[], interpreter?: InterpreterName) {
    const started = startedOf(journal)
    const known = withAgents(started.runId, () => registryOf(registry, started))
    this.#run = { registry: known, started, parts: new RunAgentParts({ registry: known, started }) }
    this.#state = new RunState({
      registry: known,
      started,
      interpreter,
    })
    resumeFrom(this.#state, journal)
  }

  get signals(): OpenSignals {
    return this.#state.signals
  }

  get sayings(): TakenSayings {
    return this.#state.sayings
  }

  get hookTimeout(): number {
    const { registry, started } = this.#run
    return hookTimeoutOf(lookUp(registry, started.agent).settings, started.settings)
  }

  /** Rejects with a `SignalError` for changed arguments that do not fit the call. */
  assertArgumentsFit(signal: Parameters<typeof assertArgumentsFit>[0]): Promise<void> {
    const { registry, started, parts } = this.#run
    return assertArgumentsFit(signal, {
      signals: this.signals,
      agentParts: parts,
      timeout: (id) => hookTimeoutOf(lookUp(registry, id).settings, started.settings),
    })
  }

  /** The number of entries that were read. */
  get entries(): number {
    return this.#state.delivered
  }

  /** Reads the entries that were appended meanwhile. */
  async catchUp(store: Pick<RunStore, 'read'>): Promise<void> {
    const { runId } = this.#state
    const from = this.entries
    const news = await store.read(runId, from)
    if (news === undefined) throw new RunNotFoundError(runId)
    news.forEach((entry, index) => deliverChecked(this.#state, entry, from + index))
  }
}
