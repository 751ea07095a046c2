/** Whether an agent can make the calls that are required of it. */
import type { ToolChoice } from '../../actors/chat-model.ts'
import type { DynamicPart } from '../../machines/contract/profile.ts'
import type { Toolset } from '../../actors/toolset/toolset.ts'

/** What an agent says of its calls. */
export interface Callable {
  readonly toolset: Toolset
  readonly dynamic: readonly DynamicPart[]
}

/** The parts of an agent that its model can call. */
const offering: ReadonlySet<DynamicPart> = new Set(['tools', 'workflows', 'agents', 'handoffs', 'memory'])

/**
 * Whether the agent can be offered the call that `toolChoice` requires. What functions of the run make is known only in
 * the run. The toolset is not asked for without need: agents that hand to each other are defined in turn.
 */
export function mayCall(agent: Callable, toolChoice: ToolChoice): boolean {
  if (toolChoice === 'auto' || toolChoice === 'none') return true
  if (agent.dynamic.some((part) => offering.has(part))) return true
  const { names } = agent.toolset.whole
  return typeof toolChoice === 'object' ? names.includes(toolChoice.tool) : names.length > 0
}
