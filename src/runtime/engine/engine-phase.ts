/** The phase of an engine: whether it works for its run. */

/**
 * - `reading`: the state of the run is read, or has not begun. Nothing is appended or performed.
 * - `heldBack`: the run was cancelled, or its time was up, before it went on: effects that were in progress when its
 *   process ended wait for the delivery of that.
 * - `live`: new entries are appended. Of a run whose end is delivered, these are late outcomes.
 * - `abandoned`: this process has abandoned or lost the run. Another process may continue the journal.
 */
export type EnginePhase = 'reading' | 'heldBack' | 'live' | 'abandoned'
