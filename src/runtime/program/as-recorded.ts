/** A definition with the structure that a run has on record, and the content of today. */
import { changedAgent, type AgentDefinition, type Handoffs } from '../definition/definition.ts'
import { sizeOf } from './content.ts'
import type { AgentStructure, RecordedAgent } from './recorded.ts'
import { hasStructure } from './structure.ts'

/**
 * Returns the definition itself where its structure and the size of its content are the recorded ones. Subagents, successors
 * and tools that the run did not begin with are left out; a subagent that is not here any more is left out too. `agentOf`: the
 * agents of the run.
 */
export function asRecorded(
  definition: AgentDefinition,
  { structure, size }: RecordedAgent,
  agentOf: (id: string) => AgentDefinition | undefined,
): AgentDefinition {
  const agent = structured(definition, structure, agentOf)
  if (size === undefined) return agent
  const today = sizeOf(agent)
  const excess = { instructions: size.instructions - today.instructions, tools: size.tools - today.tools }
  return excess.instructions === 0 && excess.tools === 0
    ? agent
    : changedAgent(agent, { recordedExcess: excess })
}

function structured(
  definition: AgentDefinition,
  recorded: AgentStructure,
  agentOf: (id: string) => AgentDefinition | undefined,
): AgentDefinition {
  if (hasStructure(definition, recorded)) return definition
  const { settings: today } = definition
  const { responseFormat, ...decisive } = recorded.settings
  const agents = presentOf(recorded.agents ?? {}, ({ id }) => agentOf(id))
  const subagents = Object.fromEntries(
    Object.entries(agents).map(([key, { id, description }]) => {
      const background = recorded.agents?.[key]?.background
      return [key, { id, description, ...(background === undefined ? {} : { background }) }]
    }),
  )
  const successors = presentOf(recorded.handoffs?.agents ?? {}, agentOf)
  const toolset = definition.toolset.whole.asRecorded(recorded.tools ?? {}).withSubagents(subagents)
  const known = definition.toolset.whole.successors
  const offered = Object.fromEntries(
    Object.entries(successors).map(([key, { id, description }]) => [
      key,
      { ...known.get(key), id, description },
    ]),
  )
  return changedAgent(definition, {
    settings: {
      ...decisive,
      ...(responseFormat === undefined || today.responseFormat === undefined
        ? {}
        : { responseFormat: today.responseFormat }),
    },
    settingsToday: today,
    dynamic: recorded.dynamic ?? [],
    agents,
    handoffs:
      recorded.handoffs &&
      recordedHandoffs(recorded.handoffs.profile, definition.handoffs, { agents: successors, offered }),
    toolset: recorded.handoffs === undefined ? toolset : toolset.handingTo(offered),
  })
}

function recordedHandoffs(
  profile: Handoffs['profile'],
  today: Handoffs | undefined,
  { agents, offered }: { agents: ReturnType<Handoffs['agents']>; offered: ReturnType<Handoffs['offered']> },
): Handoffs {
  return {
    profile,
    known: Object.values(agents),
    agents: () => agents,
    offered: () => offered,
    ofRun: today?.ofRun,
  }
}

function presentOf<Given>(
  given: Readonly<Record<string, Given>>,
  agentOf: (given: Given) => AgentDefinition | undefined,
): Readonly<Record<string, AgentDefinition>> {
  return Object.fromEntries(
    Object.entries(given).flatMap(([key, one]) => {
      const agent = agentOf(one)
      return agent === undefined ? [] : [[key, agent] as const]
    }),
  )
}
