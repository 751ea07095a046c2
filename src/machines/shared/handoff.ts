/**
 * A handoff: an agent ends as `handedOff`, and another goes on with its conversation in its place. The parent of the
 * agent (the run, or a delegation) starts the successor, and merges their outputs.
 */
import { sibling, successorId } from '../../actors/actor-path.ts'
import { withOthers } from '../../actors/content/content.ts'
import { mergeUsage } from '../../actors/usage.ts'
import type { AgentParts } from '../contract/records.ts'
import type { AgentRequest } from '../contract/agent.ts'
import type { Handoff } from '../contract/handoff-chain.ts'

/** Merges the outputs of a chain of handoffs: the outcome is that of the last agent; records and usage add up. */
export function continued<Next extends AgentParts>(before: AgentParts | undefined, next: Next): Next {
  if (before === undefined) return next
  const handoffs = [...(before.handoffs ?? []), ...(next.handoffs ?? [])]
  const by = next.by ?? handoffs.at(-1)?.to
  const made = withOthers(before.made, next.made)
  const decisions = [...(before.decisions ?? []), ...(next.decisions ?? [])]
  return {
    ...next,
    ...(by === undefined ? {} : { by }),
    ...(decisions.length === 0 ? {} : { decisions }),
    ...(made.length === 0 ? {} : { made }),
    handoffs,
    delegations: [...before.delegations, ...next.delegations],
    scores: [...before.scores, ...next.scores],
    steps: [...before.steps, ...next.steps],
    usage: mergeUsage(before.usage, next.usage),
  }
}

/**
 * The request for a successor, from the request of the first agent of the chain. The limits of a delegation still
 * hold: they can lower the successor's caps, and never raise them.
 */
export function successorRequest(first: AgentRequest, handoff: Handoff): AgentRequest {
  const { maxSteps, maxStepsLimit, settings: _ofFirst, content: _task, ...request } = first
  const limits = [maxSteps, maxStepsLimit].filter((limit) => limit !== undefined)
  return {
    ...request,
    agent: handoff.record.to,
    task: handoff.task,
    history: handoff.history,
    ...(limits.length === 0 ? {} : { maxStepsLimit: Math.min(...limits) }),
    maxDepth: handoff.maxDepth,
    ...(handoff.toolGroups === undefined ? {} : { toolGroups: handoff.toolGroups }),
    ...(handoff.threadId === undefined ? {} : { threadId: handoff.threadId }),
    path: sibling(first.path, successorId(handoff.record.to, handoff.line.handoffs)),
    line: handoff.line,
  }
}
