/** The agents of a run that is looked at: they may be registered elsewhere only. */
import { ConfigurationError, TroupeError } from '../../errors.ts'
import { registryOf, type RunRegistry } from '../agents/run-registry.ts'
import type { AgentRegistry } from '../definition/registry.ts'
import type { RunStarted } from '../journal/journal.ts'

/** Throws a `TroupeError` of the code `AGENT_NOT_HERE` for an agent or a version that is not registered. */
export function registryHere(agents: AgentRegistry, started: RunStarted): RunRegistry {
  try {
    return registryOf(agents, started)
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    const { runId } = started
    throw new TroupeError('AGENT_NOT_HERE', `The run "${runId}" cannot be shown: ${error.message}`, {
      cause: error,
      runId,
    })
  }
}
