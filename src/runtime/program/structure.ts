/**
 * The structure of an agent: all that decides which effects its chart asks for. A run keeps the structure that it began
 * with. Its content (words, schemas, models, bodies of functions) is that of the definition of today.
 */
import { toolStructure } from '../../actors/toolset/tool-facts.ts'
import { canonicalJson, type JsonValue } from '../../actors/values/json.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import type { AgentStructure } from './recorded.ts'

interface Made {
  readonly structure: AgentStructure
  /** The structure as text, for comparison. */
  readonly text: string
}

const known = new WeakMap<AgentDefinition, Made>()

/** The structure of a definition, made once. */
export function structureOf(definition: AgentDefinition): AgentStructure {
  return made(definition).structure
}

/** Whether the definition has this structure. */
export function hasStructure(definition: AgentDefinition, recorded: AgentStructure): boolean {
  const { structure, text } = made(definition)
  return structure === recorded || text === textOf(recorded)
}

/**
 * Whether the definition has the pattern, the tools, the subagents and the successors of this structure; it may have more.
 * `given`: the tools that come with the run.
 */
export function hasPartsOf(
  definition: AgentDefinition,
  { pattern, tools = {}, agents = {}, handoffs }: AgentStructure,
  given: ReadonlySet<string>,
): boolean {
  const today = structureOf(definition)
  const hasAll = (parts: object, there: object = {}, more?: ReadonlySet<string>): boolean =>
    Object.keys(parts).every((name) => Object.hasOwn(there, name) || more?.has(name) === true)
  return (
    today.pattern === pattern &&
    hasAll(tools, today.tools, given) &&
    hasAll(agents, today.agents) &&
    hasAll(handoffs?.agents ?? {}, today.handoffs?.agents)
  )
}

function made(definition: AgentDefinition): Made {
  const last = known.get(definition)
  if (last !== undefined) return last
  const structure = madeStructure(definition)
  const now = { structure, text: textOf(structure) }
  known.set(definition, now)
  return now
}

/** A store may have changed the order of the fields. */
function textOf(structure: AgentStructure): string {
  return canonicalJson(JSON.parse(JSON.stringify(structure)) as JsonValue)
}

function madeStructure({
  pattern,
  settings,
  dynamic,
  toolset,
  agents,
  handoffs,
}: AgentDefinition): AgentStructure {
  const { responseFormat, ...decisive } = settings
  const tools = Array.from(toolset.whole.tools, ([name, facts]) => [name, toolStructure(facts)] as const)
  const subagents = Object.entries(agents).map(([key, { id }]) => {
    const background = toolset.whole.subagents.get(key)?.background
    return [key, { id, ...(background === undefined ? {} : { background }) }] as const
  })
  return {
    pattern,
    settings: responseFormat === undefined ? decisive : { ...decisive, responseFormat: true },
    ...(dynamic.length === 0 ? {} : { dynamic }),
    ...(tools.length === 0 ? {} : { tools: Object.fromEntries(tools) }),
    ...(subagents.length === 0 ? {} : { agents: Object.fromEntries(subagents) }),
    ...(handoffs === undefined
      ? {}
      : { handoffs: { profile: handoffs.profile, agents: idsOf(handoffs.agents()) } }),
  }
}

function idsOf(agents: Readonly<Record<string, AgentDefinition>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(agents).map(([key, { id }]) => [key, id]))
}
