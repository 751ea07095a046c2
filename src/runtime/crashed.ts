/** What an agent ends with whose machine broke, and what a run does whose engine did. */
import type { ErrorData } from '../errors.ts'
import type { AgentOutput, AgentParts } from '../machines/agent.ts'

/** A fault of ours, or of a schema: the run still ends with an outcome. */
export function crashed(error: ErrorData): AgentOutput {
  return { outcome: 'failed', text: '', error, delegations: [], scores: [], steps: [], usage: {} }
}

/** What a run ends with that could not go on: what there was. */
export function brokenOutput(parts: AgentParts, error: ErrorData): AgentOutput {
  const { text, by, handoffs, delegations, scores, steps, usage, plan } = parts
  return {
    outcome: 'failed',
    text,
    error,
    ...(handoffs === undefined || by === undefined ? {} : { by, handoffs }),
    delegations,
    scores,
    steps,
    usage,
    ...(plan === undefined ? {} : { plan }),
  }
}
