/** Who is compared. A peer has a folder in `packages`, with its exact version, and a module in `contestants`. */
export interface Peer {
  readonly label: string
  /** The folder that it is installed in, and what an application imports of it. */
  readonly folder: string
  readonly imports: readonly string[]
  /** Its module in `contestants`, and the function in it that prepares a round. */
  readonly module: string
  readonly create: string
}

export const troupe = 'Troupe'
export const aiSdk = 'AI SDK'

function peer(label: string, folder: string, imports: readonly string[], create = 'create'): Peer {
  return { label, folder, imports, module: `contestants/${folder}.mjs`, create }
}

export const peers: readonly Peer[] = [
  peer(troupe, 'troupe', ['troupe']),
  peer(aiSdk, 'ai', ['ai']),
  peer('Google ADK', 'adk', ['@google/adk']),
  peer('OpenAI Agents', 'openai-agents', ['@openai/agents']),
  peer('LangGraph', 'langgraph', ['@langchain/langgraph', '@langchain/langgraph/prebuilt']),
  peer('LangGraph, checkpoints', 'langgraph', [], 'createWithCheckpoints'),
  peer('VoltAgent', 'voltagent', ['@voltagent/core']),
  peer('Mastra', 'mastra', ['@mastra/core', '@mastra/core/agent', '@mastra/core/tools']),
]

/** Written by hand in this repository; they are no packages. */
export const baselines = ['async loop', 'XState'] as const

export type Baseline = (typeof baselines)[number]
