/** The entries that a fork shares, replayed before it begins: they must fit the agents, and tell what the fork needs of memory. */
import { plural } from '../../errors/texts.ts'
import { ConfigurationError } from '../../errors.ts'
import { registryOf } from '../agents/run-registry.ts'
import { memoryOf } from '../definition/profile.ts'
import { lookUp, type AgentRegistry } from '../definition/registry.ts'
import { RunState } from '../state/run-state.ts'
import type { InterpreterName } from '../interpreter/interpreter.ts'
import { startedOf, type JournalEntry, type RunStarted } from '../journal/journal.ts'
import { rootName } from '../journal/lineage.ts'
import { memoryNeeded } from '../missing-port.ts'
import type { MemoryStorage } from '../journal/memory-storage.ts'
import { assertMayGoOn } from '../program/program.ts'
import type { OnDrift } from '../program/recorded.ts'
import { resumeFrom } from './deliver-journal.ts'

export class SharedEntries {
  readonly #state: RunState
  readonly #started: RunStarted

  /**
   * Throws a `JournalMismatchError`, and a `ConfigurationError` where the fork would need working memory that no entry has.
   */
  constructor(registry: AgentRegistry, journal: readonly JournalEntry[], interpreter?: InterpreterName) {
    this.#started = startedOf(journal)
    this.#state = new RunState({
      registry: registryOf(registry, this.#started),
      started: this.#started,
      interpreter,
    })
    resumeFrom(this.#state, journal)
    this.#assertKnowsNote()
  }

  /** Throws a `TroupeError` (`PROGRAM_CHANGED`) where the troupe, or an edited agent, refuses drift. */
  assertMayGoOn(onDrift: OnDrift): void {
    assertMayGoOn(this.#state, onDrift)
  }

  /** Throws a `ConfigurationError` where there is no memory. Begins the thread of the root agent, which a fork has also where it adds nothing to it. */
  async branchThread(memory: MemoryStorage | undefined): Promise<void> {
    const { descent, threadId } = this.#state
    const name = rootName(this.#started)
    if (descent === undefined || threadId === undefined || name === undefined) return
    if (memory === undefined) throw memoryNeeded()
    await descent.branch(memory, name)
  }

  #assertKnowsNote(): void {
    const { descent, registry } = this.#state
    const { agent, forkedFrom, resourceId, settings } = this.#started
    if (descent?.isApart !== true || descent.note !== undefined || resourceId === undefined) return
    if (memoryOf(lookUp(registry, agent).settings, settings)?.workingMemory === undefined) return
    throw new ConfigurationError(
      `fork: the run "${forkedFrom?.runId}" had not read its working memory within its first ${plural(forkedFrom?.at ?? 0, 'entry')}, and a store keeps no earlier notes. Fork it behind its first recall, or give a threadId: the fork then reads and writes the note of today.`,
    )
  }
}
