/** The tools of a client beside those of the agent with which its run begins. */
import { toolsOfClient, type ClientTool } from '../../actors/toolset/client-tools.ts'
import { workingMemoryToolName } from '../../actors/toolset/working-memory.ts'
import { ConfigurationError } from '../../errors.ts'
import { changedAgent, type AgentDefinition, type AgentParts } from '../definition/definition.ts'
import { patternsWithTools, type Pattern } from '../options/pattern.ts'

/** Throws a `ConfigurationError` where the agent takes no tools, or has one of these names. */
export function assertClientTools(
  clientTools: readonly ClientTool[],
  { id, pattern, tools }: Pick<AgentDefinition, 'id' | 'pattern' | 'tools'>,
  where: string,
): void {
  if (clientTools.length === 0) return
  if (!takesTools(pattern)) {
    throw new ConfigurationError(
      `${where}: clientTools: "${id}" has the pattern "${pattern}", which takes no tools.`,
    )
  }
  const taken = takenName(clientTools, tools)
  if (taken === undefined) return
  throw new ConfigurationError(
    `${where}: clientTools: "${id}" has a tool "${taken}" of its own. Give the tool of the client another name.`,
  )
}

function takesTools(pattern: Pattern): boolean {
  return patternsWithTools.some((taking) => taking === pattern)
}

function takenName(clientTools: readonly ClientTool[], tools: AgentParts['tools']): string | undefined {
  return clientTools.find(({ name }) => Object.hasOwn(tools, name) || name === workingMemoryToolName)?.name
}

/** Throws a `ConfigurationError` where a function of the run has made a tool of one of these names. */
function assertNoneMade(clientTools: readonly ClientTool[], tools: AgentParts['tools'], id: string): void {
  const taken = takenName(clientTools, tools)
  if (taken === undefined) return
  throw new ConfigurationError(
    `clientTools: a function of "${id}" has made a tool "${taken}", and the run has a tool of the client of that name. Give one of them another name.`,
  )
}

/** A tool that the definition has by now under the same name gives way: the run keeps what it began with. */
export function withClientTools(agent: AgentDefinition, clientTools: readonly ClientTool[]): AgentDefinition {
  const more = toolsOfClient(clientTools)
  const extended = <Parts extends AgentParts>(parts: Parts): Parts =>
    changedAgent(parts, {
      tools: { ...parts.tools, ...more },
      toolset: parts.toolset.withTools(more),
    })
  const { configure, id } = agent
  if (configure === undefined) return extended(agent)
  return changedAgent(extended(agent), {
    async configure(run) {
      const parts = await configure(run)
      assertNoneMade(clientTools, parts.tools, id)
      return extended(parts)
    },
  })
}
