/** The state of a run that is replayed, and its result once the end of the run is delivered. */
import type { FinalResult } from '../handle/result.ts'
import { resultOf } from '../state/run-results.ts'
import type { RunState } from '../state/run-state.ts'

/** `undefined`: the end of the run is not delivered. The root of the run is told of the end. */
export function replayedResult(state: RunState): FinalResult | undefined {
  if (!state.isSettled || state.output === undefined) return undefined
  const result = resultOf(state, state.output)
  state.root.send({ type: 'run.ended', result })
  return result
}
