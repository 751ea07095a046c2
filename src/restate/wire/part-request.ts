/**
 * The request that starts the workflow of a subagent. All of it follows from the run that requests the subagent, so
 * that a reader of that run's journal can derive it.
 */
import { parentPath } from '../../actors/actor-path.ts'
import type { Origin } from '../../actors/effects/effect.ts'
import type { TraceContext } from '../../actors/strict/trace-context.ts'
import type { AgentRequest } from '../../machines/contract/agent.ts'
import { budgetOf, type BudgetOptions } from '../../runtime/options/budget-options.ts'
import { countedLimits } from '../../runtime/state/effects/budget.ts'
import { protocolVersion, type RunStarted } from '../../runtime/journal/journal.ts'
import { lookUp, type Registry } from '../../runtime/definition/registry.ts'
import type { RunRequest } from './wire.ts'

/** The run that requests a subagent. */
export interface Asker {
  readonly registry: Registry
  readonly started: RunStarted
  /** The budget of a subagent: the limits that it shares, and the prices of tokens. */
  readonly budget: BudgetOptions | undefined
}

export function askerOf(registry: Registry, { started, part }: RunRequest): Asker {
  const own = part === undefined ? registry.get(started.agent)?.settings.budget : undefined
  return { registry, started, budget: sharedBudget(budgetOf(own, started.settings.budget)) }
}

/** The time limit stays with the root agent, whose clock keeps to it. */
function sharedBudget(budget: BudgetOptions | undefined): BudgetOptions | undefined {
  const { wallClock: _wallClock, ...shared } = budget ?? {}
  if (isCounted(shared)) return shared
  return shared.prices === undefined ? undefined : { prices: shared.prices }
}

/** Whether a budget has a limit that agents of a tree share by a count. */
export function isCounted(budget: BudgetOptions | undefined): boolean {
  return countedLimits.some((limit) => budget?.[limit] !== undefined)
}

/** The origin of a subagent: its delegation. */
export function originOf({ path }: AgentRequest): Origin {
  const above = parentPath(path)
  return { path: above, delegationId: above }
}

/** `asking`: the engine of the run, with its time and its trace context. */
export function partRequest(
  { registry, started, budget }: Asker,
  part: AgentRequest,
  asking: { readonly now: number; readonly trace: TraceContext | undefined },
): RunRequest {
  const { agent, runId, task, content, threadId } = part
  const { version } = lookUp(registry, agent)
  const { maxToolCallsPerStep } = started.settings
  const { stream, resourceId, conversationId, context, versionOverrides, agents } = started
  return {
    started: {
      type: 'run.started',
      at: asking.now,
      protocol: protocolVersion,
      runId,
      agent,
      ...(version === undefined ? {} : { version }),
      ...versionsOf(started),
      ...(versionOverrides === undefined ? {} : { versionOverrides }),
      ...(agents === undefined ? {} : { agents }),
      task,
      ...(content === undefined ? {} : { content }),
      history: [],
      settings: {
        hooks: [],
        ...(maxToolCallsPerStep === undefined ? {} : { maxToolCallsPerStep }),
        ...(budget === undefined ? {} : { budget }),
      },
      stream,
      ...(threadId === undefined ? {} : { threadId }),
      ...(resourceId === undefined ? {} : { resourceId }),
      ...(conversationId === undefined ? {} : { conversationId }),
      ...asking.trace,
      ...(context === undefined ? {} : { context }),
    },
    part,
  }
}

/** A run has one version of each agent, in all its workflows. */
function versionsOf(started: RunStarted): Pick<RunStarted, 'versions'> {
  const { agent, version = null, versions } = started
  return versions === undefined ? {} : { versions: { ...versions, [agent]: version } }
}
