/** The phase of an engine: whether it reads the journal, appends to it, or has ended. */

/**
 * - `replaying`: the engine reads a journal. Nothing is appended or performed; without a committer it stays so.
 * - `heldBack`: the run was cancelled, or its time was up, before it went on: effects that were in progress when its
 *   process ended wait for the delivery of that.
 * - `live`: new entries are appended.
 * - `settled`: `run.settled` was delivered. Late outcomes are still appended.
 * - `abandoned`: this process has abandoned or lost the run. Another process may continue the journal.
 */
export type EnginePhase = 'replaying' | 'heldBack' | 'live' | 'settled' | 'abandoned'

/** Whether new entries go to the journal. */
export function appends(phase: EnginePhase): boolean {
  return phase !== 'replaying' && phase !== 'abandoned'
}
