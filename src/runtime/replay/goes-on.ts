/** Whether a run of another owner could go on with the agents of this troupe, by what the store has of it. */
import { ConfigurationError } from '../../errors.ts'
import { registryOf } from '../agents/run-registry.ts'
import type { AgentRegistry } from '../definition/registry.ts'
import type { InterpreterName } from '../interpreter/interpreter.ts'
import { startedOf, type JournalEntry, type RunStarted } from '../journal/journal.ts'
import { assertMayGoOn } from '../program/program.ts'
import type { OnDrift } from '../program/recorded.ts'
import { hasPartsOf } from '../program/structure.ts'
import { RunState } from '../state/run-state.ts'
import { resumeFrom } from './deliver-journal.ts'

interface Taker {
  readonly registry: AgentRegistry
  readonly interpreter: InterpreterName | undefined
  readonly onDrift: OnDrift
}

/**
 * Replays the journal, and appends nothing. Throws a `ConfigurationError` where an agent, or a part of it that the run has on
 * record, is not here, a `JournalMismatchError`, and a `TroupeError` (`PROGRAM_CHANGED`).
 */
export function assertGoesOn(
  { registry: all, interpreter, onDrift }: Taker,
  journal: readonly JournalEntry[],
): void {
  const started = startedOf(journal)
  const registry = registryOf(all, started)
  assertHasParts(all, started)
  const state = new RunState({ registry, started, interpreter })
  resumeFrom(state, journal)
  assertMayGoOn(state, onDrift)
}

function assertHasParts(
  all: AgentRegistry,
  { runId, agent, agents = {}, clientTools = [] }: RunStarted,
): void {
  const ofClient = new Set(clientTools.map(({ name }) => name))
  for (const [id, { structure }] of Object.entries(agents)) {
    const given = id === agent ? ofClient : new Set<string>()
    if (all.versionsOf(id).some((definition) => hasPartsOf(definition, structure, given))) continue
    throw new ConfigurationError(
      `The run "${runId}" cannot go on here: the agent "${id}" is not here with the pattern, the tools and the agents that the run began with.`,
      { runId },
    )
  }
}
