/** Copies a tree of agents with other tools; everything else about the agents stays. */
import type { Tool } from '../../actors/tool.ts'
import type { AgentDefinition, Handoffs } from '../../runtime/definition/definition.ts'

type Tools = Readonly<Record<string, Tool>>
type Agents = Readonly<Record<string, AgentDefinition>>

/** `replace` is called with the name that the model sees. The copy of an agent that stands in two places is one agent. */
export class ToolReplacer {
  readonly #replace: (name: string, tool: Tool) => Tool
  readonly #copies = new Map<AgentDefinition, AgentDefinition>()

  constructor(replace: (name: string, tool: Tool) => Tool) {
    this.#replace = replace
  }

  agent(agent: AgentDefinition): AgentDefinition {
    const known = this.#copies.get(agent)
    if (known !== undefined) return known
    const { configure, handoffs } = agent
    const copy: AgentDefinition = {
      ...agent,
      tools: this.#tools(agent.tools),
      agents: this.#agents(agent.agents),
      handoffs: handoffs === undefined ? undefined : this.#handoffs(handoffs),
      configure:
        configure === undefined
          ? undefined
          : async (run) => {
              const parts = await configure(run)
              return { ...parts, tools: this.#tools(parts.tools), agents: this.#agents(parts.agents) }
            },
    }
    this.#copies.set(agent, copy)
    return copy
  }

  #tools(tools: Tools): Tools {
    return Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, this.#replace(name, tool)]))
  }

  #agents(agents: Agents): Agents {
    return Object.fromEntries(Object.entries(agents).map(([key, agent]) => [key, this.agent(agent)]))
  }

  /** Two agents may hand to each other: the copies are made when they are first read. */
  #handoffs(handoffs: Handoffs): Handoffs {
    const { ofRun } = handoffs
    const agents = (): Agents => this.#agents(handoffs.agents())
    const copyOf = (agent: AgentDefinition): AgentDefinition => this.agent(agent)
    return {
      profile: handoffs.profile,
      get known() {
        return handoffs.known.map(copyOf)
      },
      agents,
      offered: () => handoffs.offered(),
      ofRun:
        ofRun &&
        (async (run) => {
          const { agents, offered } = await ofRun(run)
          return { agents: this.#agents(agents), offered }
        }),
    }
  }
}
