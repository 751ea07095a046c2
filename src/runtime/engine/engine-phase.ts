/** Where an engine stands between the journal and the world. */

/**
 * - `replaying`: a journal is read. Nothing is appended or performed; without a committer it stays so.
 * - `heldBack`: the run was cancelled before it went on: what was under way when its process ended waits for the cancel.
 * - `live`: what happens is appended.
 * - `settled`: its `run.settled` was delivered. Late outcomes are still appended.
 * - `abandoned`: this process has let go of the run, or has lost it. The journal may go on elsewhere.
 */
export type EnginePhase = 'replaying' | 'heldBack' | 'live' | 'settled' | 'abandoned'

/** Whether what happens goes to the journal. */
export function appends(phase: EnginePhase): boolean {
  return phase !== 'replaying' && phase !== 'abandoned'
}
