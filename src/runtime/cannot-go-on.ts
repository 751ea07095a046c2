/** Errors for which a run cannot go on in this process, and may be ended by force. */
import { ConfigurationError, TroupeError, type ErrorCode } from '../errors.ts'

const codes: readonly ErrorCode[] = [
  'JOURNAL_MISMATCH',
  'PROGRAM_CHANGED',
  'AGENT_NOT_HERE',
  'RUN_LEFT',
  'SEAL_KEY_MISSING',
  'SEAL_BROKEN',
]

/**
 * The code of an error for which a run cannot go on here: its agents, its functions or its charts are not those that it began
 * with, or its journal is sealed and does not open. `undefined`: it is another error.
 */
export function codeOfStop(error: unknown): ErrorCode | undefined {
  if (!(error instanceof TroupeError)) return undefined
  if (codes.includes(error.code)) return error.code
  return error instanceof ConfigurationError && error.runId !== undefined ? 'AGENT_NOT_HERE' : undefined
}

/** Whether an error says that a run cannot go on here. */
export function cannotGoOn(error: unknown): boolean {
  return codeOfStop(error) !== undefined
}

/** Whether an error says that content is sealed, and does not open: its key is gone, or it was changed. */
export function isSealedOff(error: unknown): boolean {
  return error instanceof TroupeError && (error.code === 'SEAL_KEY_MISSING' || error.code === 'SEAL_BROKEN')
}

/** What `find` gives. Throws a `ConfigurationError` that names the run and the remedies, where an agent of it is not here. */
export function withAgents<Found>(runId: string, find: () => Found): Found {
  try {
    return find()
  } catch (cause) {
    if (!(cause instanceof ConfigurationError)) throw cause
    const message = `The run "${runId}" cannot go on here: ${cause.message} Give the agent to createTroupe({ agents }). To answer without it, queue the answer: troupe answer <store> <run>. Or end the run: troupe.cancel(runId, reason, { force: true }).`
    throw new ConfigurationError(message, { cause, runId })
  }
}
