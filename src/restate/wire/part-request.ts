/**
 * What the workflow of a subagent is started with. All of it follows from the run that asks for the subagent, so that
 * whoever reads that run's journal knows it too.
 */
import { parentPath } from '../../actors/actor-path.ts'
import type { Origin } from '../../actors/effect.ts'
import type { PriceTable } from '../../actors/pricing.ts'
import type { AgentRequest } from '../../machines/contract/agent.ts'
import { budgetOf } from '../../runtime/options/budget-options.ts'
import { protocolVersion, type RunStarted } from '../../runtime/journal/journal.ts'
import { lookUp, type Registry } from '../../runtime/definition/registry.ts'
import type { RunRequest } from './wire.ts'

/** The run that asks. */
export interface Asker {
  readonly registry: Registry
  readonly started: RunStarted
  /** What tokens cost, if anybody said so. */
  readonly prices: PriceTable | undefined
}

export function askerOf(registry: Registry, { started, part }: RunRequest): Asker {
  const own = part === undefined ? registry.get(started.agent)?.settings.budget : undefined
  return { registry, started, prices: budgetOf(own, started.settings.budget)?.prices }
}

/** What it works for: its delegation. */
export function originOf({ path }: AgentRequest): Origin {
  const above = parentPath(path)
  return { path: above, delegationId: above }
}

/** `at`: when it is asked for. */
export function partRequest(
  { registry, started, prices }: Asker,
  part: AgentRequest,
  at: number,
): RunRequest {
  const { agent, runId, task, threadId } = part
  const { version } = lookUp(registry, agent)
  const { maxToolCallsPerStep } = started.settings
  const { stream, resourceId, conversationId, context, versionOverrides } = started
  return {
    started: {
      type: 'run.started',
      at,
      protocol: protocolVersion,
      runId,
      agent,
      ...(version === undefined ? {} : { version }),
      ...versionsOf(started),
      ...(versionOverrides === undefined ? {} : { versionOverrides }),
      task,
      history: [],
      settings: {
        hooks: [],
        ...(maxToolCallsPerStep === undefined ? {} : { maxToolCallsPerStep }),
        ...(prices === undefined ? {} : { budget: { prices } }),
      },
      stream,
      ...(threadId === undefined ? {} : { threadId }),
      ...(resourceId === undefined ? {} : { resourceId }),
      ...(conversationId === undefined ? {} : { conversationId }),
      ...(context === undefined ? {} : { context }),
    },
    part,
  }
}

/** A run has one version of each agent, wherever that is at work. */
function versionsOf(started: RunStarted): Pick<RunStarted, 'versions'> {
  const { agent, version = null, versions } = started
  return versions === undefined ? {} : { versions: { ...versions, [agent]: version } }
}
