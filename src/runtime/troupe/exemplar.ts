/**
 * Keeps the optimised code of runs. V8 drops the optimised code of a function with the last object of a shape (a hidden
 * class) that the code was compiled for. In a process whose runs have all ended, the next major collection drops nearly all
 * of it, and the runs after it are interpreted until it is compiled again. So one small run of each common pattern stays
 * in the midst of its work. It holds no data of the user, has no timer, and keeps no process alive.
 */
import { z } from 'zod'
import type { ChatModel, ModelReply } from '../../actors/chat-model.ts'
import { createTool } from '../../actors/create-tool.ts'
import { once } from '../../actors/values/once.ts'
import { asDefinition, type AgentDefinition } from '../definition/definition.ts'
import { partsOf } from '../definition/parts.ts'
import { ConfigurationError } from '../../errors.ts'
import type { Environment } from '../environment.ts'
import type { Pattern } from '../options/pattern.ts'
import { settingsOf } from '../options/settings.ts'

/** Patterns whose runs have the same objects as those of all others. */
const patterns: readonly Pattern[] = ['react', 'supervisor']

/** A process with fewer runs of a pattern has no use for an exemplar. */
export const runsBefore = 9

/** By pattern: how many runs of it were started, then the exemplar. */
const known = new Map<Pattern, number | object>()

/** The exemplar of a pattern; `undefined`: there is none yet. */
export function exemplarOf(pattern: Pattern): object | undefined {
  const state = known.get(pattern)
  return typeof state === 'number' ? undefined : state
}

/** Makes the exemplar of a pattern when runs of it go on to be started. `begin` starts a run of an agent. */
export function noteStart(agent: AgentDefinition, begin: (exemplar: AgentDefinition) => object): void {
  const { pattern } = agent
  if (!patterns.includes(pattern)) return
  const state = known.get(pattern) ?? 0
  if (typeof state !== 'number') return
  known.set(pattern, state < runsBefore ? state + 1 : begin(standInFor(agent)))
}

/** Time without timers: no exemplar wakes up. */
export const exemplarEnvironment: Environment = {
  clock: { now: () => Date.now(), after: () => () => undefined },
  newId: () => 'exemplar',
}

/** An agent of the same pattern, with parts of its own. */
function standInFor(agent: AgentDefinition): AgentDefinition {
  const { pattern } = agent
  const worker = withParts(agent, 'exemplar-worker', {})
  return pattern === 'supervisor' ? withParts(agent, 'exemplar', { worker }) : worker
}

function withParts(
  { pattern, chart }: AgentDefinition,
  id: string,
  agents: Readonly<Record<string, AgentDefinition>>,
): AgentDefinition {
  const parts = { instructions: 'exemplar', model, tools: { exemplar: tool() }, workflows: {}, agents }
  return asDefinition({
    id,
    version: undefined,
    status: 'published',
    description: 'exemplar',
    pattern,
    chart,
    ...partsOf(parts, id),
    dynamic: [],
    contextSchema: undefined,
    handoffs: undefined,
    configure: undefined,
    options: {},
    settings: settingsOf({}),
    generate: inNoTroupe,
    stream: inNoTroupe,
  })
}

function inNoTroupe(): never {
  throw new ConfigurationError('An exemplar runs in its own troupe alone.')
}

const tool = once(() =>
  createTool({
    id: 'exemplar',
    description: 'exemplar',
    inputSchema: z.object({ prompt: z.string() }),
    execute: ({ prompt }) => prompt,
  }),
)

const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }

/** The calls that have no answer. Their promises stay with them, and so do the runs. */
const unanswered: unknown[] = []

/** Calls each tool once, then gives no answer. */
const model: ChatModel = {
  provider: 'exemplar',
  modelId: 'exemplar',
  async generate({ messages, tools }) {
    if (messages.at(-1)?.role === 'tool') {
      return new Promise<ModelReply>((resolve) => void unanswered.push(resolve))
    }
    const toolCalls = tools.map(({ name }) => ({ id: name, name, args: { prompt: name } }))
    return { text: '', toolCalls, finishReason: 'tool-calls', usage }
  },
}
