/** The results of a run: the final result, and the result of a suspended run. */
import { totalUsage, type UsageByAgent } from '../../actors/usage.ts'
import type { AgentOutput } from '../../machines/contract/records.ts'
import type { RunState } from './run-state.ts'
import {
  finalResult,
  partialResult,
  type FinalResult,
  type RunFacts,
  type SuspendedResult,
} from '../handle/result.ts'

export function resultOf(state: RunState, output: AgentOutput): FinalResult {
  return finalResult(state.runId, output, usageOf(output.usage), factsOf(state))
}

/** The output so far, and the awaited signals. */
export function suspendedResult(state: RunState): SuspendedResult {
  const { decisions: _decisions, ...parts } = state.partialOutput
  const soFar = partialResult(state.runId, parts, usageOf(parts.usage), factsOf(state))
  return { ...soFar, outcome: 'suspended', awaiting: state.awaiting() }
}

function factsOf({ rootId, threadId, errors, recorder, program, descent }: RunState): RunFacts {
  return {
    agent: rootId,
    threadId,
    errors: errors.toArray(),
    durationOf: (id) => recorder.durationOf(id),
    versionOf: (id) => program.versionOf(id),
    threadNamed: descent && ((name) => descent.threadNamed(name)),
  }
}

function usageOf(byAgent: UsageByAgent) {
  return { ...totalUsage(byAgent), byAgent }
}
