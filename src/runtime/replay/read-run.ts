/** Reads a journal into the state of its run: nothing is performed. */
import { asDefinition, type AnyAgent } from '../definition/definition.ts'
import { createRegistry } from '../definition/registry.ts'
import { startedOf, type JournalEntry } from '../journal/journal.ts'
import { RunState } from '../state/run-state.ts'
import { deliverTolerant } from './deliver-journal.ts'
import { registryHere } from './registry-here.ts'

/**
 * Reads the entries of a run, from the first on, into its state: its events, its open questions, its result. Other entries go to
 * `state.deliver`. Throws a `JournalMismatchError` for an entry to which the agents would not have led, and a `TroupeError` of
 * the code `AGENT_NOT_HERE` for a run of other agents.
 */
export function readRun(agents: readonly AnyAgent[], entries: readonly JournalEntry[]): RunState {
  const started = startedOf(entries)
  const state = new RunState({
    started,
    registry: registryHere(createRegistry(agents.map(asDefinition)), started),
  })
  state.begin()
  entries.forEach((entry, position) => void deliverTolerant(state, entry, position))
  return state
}
