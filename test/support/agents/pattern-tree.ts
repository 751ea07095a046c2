/**
 * Agents of every pattern, nested in any way. Their models answer by what they are shown alone, so that any process
 * can go on with their runs; each agent puts a pair of brackets with its name around what the one below it said.
 */
import {
  createAgent,
  createDebate,
  createDispatcher,
  createFanOut,
  createMetaRouter,
  createPlanner,
  createReflexion,
  createRouter,
  createSupervisor,
  createTool,
  type AgentDefinition,
  type ChatModel,
  type CompactionOptions,
  type Message,
  type ModelRequest,
  textOf,
} from 'troupe'
import { scriptedModel, type ScriptedModel, type ScriptedReply } from 'troupe/testing'
import { z } from 'zod'
import { calls, to } from './agents.ts'
import { divides, enough } from './fan-outs.ts'
import { done, toAgent } from './routing.ts'

/** All but agents that other systems serve: these have no model here. */
export type Pattern = Exclude<AgentDefinition['pattern'], 'remote' | 'custom' | 'program'>

/** Those that have subagents. */
export const delegating = [
  'supervisor',
  'router',
  'plan-then-execute',
  'fan-out',
  'meta-router',
  'debate',
  'dispatch',
] as const satisfies readonly Pattern[]

/** Those that have tools alone. */
export const single = ['react', 'reflexion'] as const satisfies readonly Pattern[]

export const patterns: readonly Pattern[] = [...single, ...delegating]

export interface PatternTree {
  readonly agent: AgentDefinition
  /** What the root comes to. */
  readonly answer: string
  /** By the id of their agents. */
  readonly models: ReadonlyMap<string, ScriptedModel>
}

/** What is done outside of a run passes through this. */
export type Outside = <T>(kind: 'model' | 'tool', idempotencyKey: string, act: () => Promise<T>) => Promise<T>

const atOnce: Outside = (_kind, _key, act) => act()

export interface PatternTreeOptions {
  readonly outside?: Outside
  /** After all ids: agents of several trees may stand side by side in a troupe. */
  readonly suffix?: string
  /** Of the root. */
  readonly compaction?: CompactionOptions
  /** The model of the root in another one. Default: as it is. */
  readonly around?: (model: ChatModel) => ChatModel
}

/** The chain of `chosen`, each a subagent of the one before; below a pattern that needs subagents stands a `react`. */
export function patternTree(
  chosen: readonly Pattern[],
  { outside = atOnce, suffix = '', compaction, around = (model) => model }: PatternTreeOptions = {},
): PatternTree {
  const chain = isDelegating(chosen.at(-1)) ? [...chosen, 'react' as const] : chosen
  const models = new Map<string, ScriptedModel>()
  const modelOf = (id: string, answer: (request: ModelRequest) => string | ScriptedReply): ChatModel => {
    const model = scriptedModel([], { modelId: id, otherwise: answer })
    models.set(id, model)
    return {
      ...model,
      generate: (request, options) =>
        outside('model', options.idempotencyKey, () => model.generate(request, options)),
    }
  }
  const dig = createTool({
    id: 'dig',
    description: 'Digs.',
    inputSchema: z.object({}),
    execute: (_, { idempotencyKey }) => outside('tool', idempotencyKey, async () => 'gold'),
  })
  const spare = createAgent({
    id: `spare${suffix}`,
    description: 'Helps.',
    instructions: '',
    model: modelOf(`spare${suffix}`, () => '«spare»'),
  })
  let below: { readonly agent: AgentDefinition; readonly answer: string } | undefined
  for (const [depth, pattern] of [...chain.entries()].toReversed()) {
    const id = `${pattern}-${depth}${suffix}`
    const identity = { id, description: `Is ${id}.`, instructions: `I am ${id}.` }
    const model = modelOf(id, answers[pattern](id))
    const isCompacted = depth === 0 && compaction !== undefined
    const config = {
      ...identity,
      model: depth === 0 ? around(model) : model,
      ...(isCompacted && { compaction }),
    }
    below = {
      agent: create(pattern, config, dig, below?.agent ?? spare, spare),
      answer: handsOver(pattern) ? (below?.answer ?? '') : `«${id}:${below?.answer ?? 'gold'}»`,
    }
  }
  if (below === undefined) throw new Error('A tree has one pattern at least.')
  return { ...below, models }
}

function isDelegating(pattern: Pattern | undefined): boolean {
  return delegating.some((name) => name === pattern)
}

/** Its answer is that of the one that it has chosen. */
function handsOver(pattern: Pattern): boolean {
  return pattern === 'meta-router' || pattern === 'dispatch'
}

type Config = Parameters<typeof createAgent>[0]
type Tool = ReturnType<typeof createTool>

function create(pattern: Pattern, config: Config, dig: Tool, child: AgentDefinition, spare: AgentDefinition) {
  const agents = { child, spare }
  switch (pattern) {
    case 'react':
      return createAgent({ ...config, tools: { dig } })
    case 'reflexion':
      return createReflexion({ ...config, tools: { dig } })
    case 'supervisor':
      return createSupervisor({ ...config, agents })
    case 'router':
      return createRouter({ ...config, memory: true, agents })
    case 'plan-then-execute':
      return createPlanner({ ...config, agents })
    case 'fan-out':
      return createFanOut({ ...config, agents })
    case 'meta-router':
      return createMetaRouter({ ...config, agents: { react: child, 'plan-then-execute': spare } })
    case 'debate':
      return createDebate({ ...config, agents })
    case 'dispatch':
      return createDispatcher({ ...config, agents })
  }
}

type Answering = (id: string) => (request: ModelRequest) => string | ScriptedReply

const planned = JSON.stringify({
  steps: [
    { id: 'first', goal: 'Dig.', toolHint: 'agent-child' },
    { id: 'second', goal: 'Help.', toolHint: 'agent-spare', dependsOn: ['first'] },
  ],
})

const answers: Readonly<Record<Pattern, Answering>> = {
  react:
    (id) =>
    ({ messages }) =>
      digging(messages) ?? `«${id}:${toolResult(messages)}»`,
  reflexion:
    (id) =>
    ({ messages, responseFormat }) => {
      if (responseFormat === undefined) return digging(messages) ?? `«${id}:${toolResult(messages)}»`
      const satisfied = messages.some(({ content }) => content === 'Look again.')
      return JSON.stringify({ satisfied, critique: 'Look again.' })
    },
  supervisor:
    (id) =>
    ({ messages }) =>
      hasResult(messages)
        ? `«${id}:${found(messages)}»`
        : calls(to('child', 'Dig, please.'), to('spare', 'Help.')),
  router:
    (id) =>
    ({ messages }) =>
      hasResult(messages) ? done(`«${id}:${found(messages)}»`) : toAgent('child', 'Dig, please.'),
  'plan-then-execute':
    (id) =>
    ({ messages, responseFormat }) =>
      responseFormat === undefined ? `«${id}:${found(messages)}»` : planned,
  'fan-out':
    (id) =>
    ({ messages, responseFormat }) => {
      if (responseFormat === undefined) return `«${id}:${found(messages)}»`
      const goals = [
        { goal: 'Dig.', agent: 'child' },
        { goal: 'Help.', agent: 'spare' },
      ]
      return responseFormat.name === 'goals' ? divides(...goals) : enough
    },
  'meta-router':
    () =>
    ({ responseFormat }) =>
      responseFormat?.name === 'task_type'
        ? JSON.stringify({ taskType: 'research', rationale: 'It is a search.' })
        : JSON.stringify({ pattern: 'react', rationale: 'One digs.' }),
  debate:
    (id) =>
    ({ messages }) =>
      `«${id}:${found(messages)}»`,
  dispatch: () => () => toAgent('child', ''),
}

function digging(messages: readonly Message[]): ScriptedReply | undefined {
  return hasResult(messages) ? undefined : calls({ name: 'dig' })
}

function hasResult(messages: readonly Message[]): boolean {
  return messages.some(({ role }) => role === 'tool')
}

function toolResult(messages: readonly Message[]): string {
  return textOf(messages.findLast(({ role }) => role === 'tool')?.content ?? '')
}

/** What the child has said, where it was last told: the outermost brackets that are not those of the spare one. */
function found(messages: readonly Message[]): string {
  const text = messages.map(({ content }) => textOf(content)).join('\n')
  let [depth, start, last] = [0, 0, '']
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '«' && depth++ === 0) start = at
    if (character !== '»' || --depth > 0) continue
    const said = text.slice(start, at + 1)
    if (said !== '«spare»') last = said
  }
  return last
}
