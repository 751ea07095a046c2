/** What a run has to show: at its end, and when it is suspended. */
import { totalUsage } from '../actors/usage.ts'
import type { AgentOutput } from '../machines/agent.ts'
import { partialOutput } from './agent-logic.ts'
import type { Engine } from './engine.ts'
import { finalResult, type FinalResult, type SuspendedResult } from './result.ts'

export function resultOf(engine: Engine, output: AgentOutput): FinalResult {
  const usage = { ...totalUsage(output.usage), byAgent: output.usage }
  return finalResult(engine.runId, output, usage, (id) => engine.stamper.durationOf(id))
}

/** What there is so far, and what is awaited. */
export function suspendedResult(engine: Engine): SuspendedResult {
  const { delegations, scores, steps, usage, plan } = resultOf(engine, partialOutput(engine.agent))
  return {
    runId: engine.runId,
    outcome: 'suspended',
    text: '',
    awaiting: engine.awaiting(),
    delegations,
    scores,
    steps,
    usage,
    ...(plan === undefined ? {} : { plan }),
  }
}
