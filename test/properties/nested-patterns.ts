/** Every pattern below every other, on models that decide, answer, fail and write nonsense by a list of choices. */
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
  createTroupe,
  type AgentDefinition,
  type FinalResult,
  type RunEvent,
} from 'troupe'
import { provenanceOf, type Provenance } from 'troupe/provenance'
import { scriptedModel, type ScriptedReply } from 'troupe/testing'
import { z } from 'zod'

const patterns = [
  'react',
  'supervisor',
  'router',
  'dispatcher',
  'planner',
  'fan-out',
  'meta-router',
  'reflexion',
  'debate',
] as const

export interface NestedRun {
  readonly graph: Provenance
  readonly result: FinalResult
  /** As one who read along saw it, with what was streamed. */
  readonly along: readonly RunEvent[]
  /** The patterns that were at work. */
  readonly used: readonly string[]
}

export async function runNested(choices: readonly number[]): Promise<NestedRun> {
  let position = 0
  let count = 0
  const stop = new AbortController()
  const used = new Set<string>()
  const pick = (options: number): number => (choices[position++] ?? 0) % options
  const one = <T>(...options: readonly T[]): T => options[pick(options.length)] as T

  const look = createTool({
    id: 'look',
    description: 'Looks.',
    inputSchema: z.object({}),
    execute() {
      if (pick(4) === 1) throw new Error('nothing there')
      return 'seen'
    },
  })

  /** Mostly something sensible, as far as the first reading goes. */
  function reply(shape: string | undefined, mayCall: boolean): string | ScriptedReply {
    if (pick(30) === 1) stop.abort()
    if (pick(12) === 1) return { error: new Error('gone') }
    if (pick(12) === 1) return 'neither here nor there'
    const goals = [1, 2].map((goal) => ({ goal: `g${goal}`, agent: one('a', 'b') }))
    switch (shape) {
      case 'goals':
        return JSON.stringify({ goals })
      case 'assessment':
        return JSON.stringify(one({ complete: true, goals: null }, { complete: false, goals }))
      case 'plan':
        return JSON.stringify({
          steps: [
            { id: 's1', goal: 'first', toolHint: one('look', 'agent-a', undefined), args: {} },
            { id: 's2', goal: 'second', toolHint: one('agent-b', undefined), dependsOn: ['s1'] },
          ],
        })
      case 'step':
        return JSON.stringify(one({ answer: 'done' }, { replan: 'no' }, { tool: 'look', args: {} }))
      case 'task_type':
        return JSON.stringify({ taskType: one('general', 'research'), rationale: 'so' })
      case 'pattern':
        return JSON.stringify({ pattern: one('a', 'b'), rationale: 'thus' })
      case 'routing-decision': {
        const [primitiveType, primitiveId, prompt] = one(
          ['agent', 'a', 'Go.'],
          ['tool', 'look', '{}'],
          ['agent', 'b', 'Go.'],
          ['none', 'none', 'It is done.'],
        )
        return JSON.stringify({ primitiveType, primitiveId, prompt, selectionReason: 'fits' })
      }
      case 'critique':
        return JSON.stringify({ satisfied: one(true, false), critique: 'hm' })
      default:
        if (!mayCall || pick(2) === 1) return 'An answer.'
        return {
          toolCalls: [
            { name: one('look', 'agent-a', 'agent-b', 'transfer-to-next'), args: { prompt: 'Go.' } },
          ],
        }
    }
  }

  function agent(depth: number): AgentDefinition {
    const kind = depth === 0 ? 'react' : one(...patterns)
    const id = `${kind}-${++count}`
    const model = scriptedModel([], {
      otherwise({ responseFormat, tools }) {
        used.add(kind)
        return reply(responseFormat?.name, (tools?.length ?? 0) > 0)
      },
    })
    const common = { id, description: `Is ${id}.`, instructions: '', model, retries: 0 }
    const tools = { look }
    const handing = () => (depth === 0 ? {} : { handoffs: { next: agent(depth - 1) } })
    const agents = () => ({ a: agent(depth - 1), b: agent(depth - 1) })
    switch (kind) {
      case 'react':
        return createAgent({ ...common, ...handing(), tools, maxSteps: 3 })
      case 'reflexion':
        return createReflexion({ ...common, ...handing(), tools, maxSteps: 3 })
      case 'supervisor':
        return createSupervisor({
          ...common,
          tools,
          agents: agents(),
          maxSteps: 3,
          delegation: {
            onDelegationStart: () =>
              pick(10) === 1 ? { proceed: false, rejectionReason: 'no' } : { proceed: true },
            onDelegationComplete: ({ bail }) => (pick(10) === 1 ? bail() : undefined),
          },
        })
      case 'router':
        return createRouter({
          ...common,
          tools,
          agents: agents(),
          memory: true,
          maxIterations: 3,
        })
      case 'dispatcher':
        return createDispatcher({ ...common, tools, agents: agents() })
      case 'planner':
        return createPlanner({ ...common, tools, agents: agents() })
      case 'fan-out':
        return createFanOut({ ...common, agents: agents() })
      case 'meta-router':
        return createMetaRouter({
          ...common,
          agents: agents(),
          taskTypes: ['general', 'research'].map((name) => ({
            name,
            description: name,
            valid_patterns: ['a', 'b'],
          })),
        })
      case 'debate':
        return createDebate({ ...common, agents: agents() })
    }
  }

  const root = agent(3)
  const troupe = createTroupe({ agents: [root] })
  const remembering = root.pattern === 'router' ? { threadId: 't' } : {}
  const run = await troupe.start(root, 'Q?', { ...remembering, signal: stop.signal })
  const along: RunEvent[] = []
  for await (const event of run.events) along.push(event)
  const result = await run.result
  return { graph: await provenanceOf(troupe, run.id), result, along, used: [...used] }
}
