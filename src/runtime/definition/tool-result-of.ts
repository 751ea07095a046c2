/** `toolResultOf`: finds the results of one agent's tools among the events of all agents. */
import { workingMemoryToolName } from '../../actors/toolset/working-memory.ts'
import type { ToolResults } from '../../machines/contract/records.ts'
import type { RunEvent, TypedToolResult } from '../handle/run-event.ts'
import type { AgentDefinition } from './definition.ts'

/**
 * Returns the payload of a `tool-result` of the agent's own tools, with their types, and `undefined` for any other event. A
 * run has the events of all its agents: a subagent may have a tool of the same name, with other results.
 */
export function toolResultOf<
  Options extends object,
  Answer,
  Args extends readonly unknown[],
  Description extends string | undefined,
  Results extends ToolResults,
>(
  agent: AgentDefinition<Options, Answer, Args, Description, Results>,
  event: RunEvent,
): TypedToolResult<Results> | undefined {
  const { id, tools, dynamic } = agent
  if (event.type !== 'tool-result' || event.agent !== id) return undefined
  const { toolName } = event.payload
  const isMadeForRun = dynamic.includes('tools') || dynamic.includes('workflows')
  const isOwn = isMadeForRun || toolName === workingMemoryToolName || Object.hasOwn(tools, toolName)
  return isOwn ? (event.payload as TypedToolResult<Results>) : undefined
}
