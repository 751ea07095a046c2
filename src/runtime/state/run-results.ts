/** The results of a run: the final result, and the result of a suspended run. */
import { totalUsage, type UsageByAgent } from '../../actors/usage.ts'
import type { AgentOutput } from '../../machines/contract/records.ts'
import type { Engine } from '../engine/engine.ts'
import {
  finalResult,
  partialResult,
  type FinalResult,
  type RunFacts,
  type SuspendedResult,
} from '../handle/result.ts'

export function resultOf(engine: Engine, output: AgentOutput): FinalResult {
  return finalResult(engine.runId, output, usageOf(output.usage), factsOf(engine))
}

/** The output so far, and the awaited signals. */
export function suspendedResult(engine: Engine): SuspendedResult {
  const { decisions: _decisions, ...parts } = engine.partialOutput
  const soFar = partialResult(engine.runId, parts, usageOf(parts.usage), factsOf(engine))
  return { ...soFar, outcome: 'suspended', awaiting: engine.awaiting() }
}

function factsOf({ rootId, threadId, errors, recorder, program, descent }: Engine): RunFacts {
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
