/** What `lint` says of a random tree holds in its runs: the bound of model calls, and the tools that are never offered. */
import fc from 'fast-check'
import {
  createAgent,
  createSupervisor,
  createTool,
  createTroupe,
  RetryableError,
  type AgentDefinition,
  type ModelRequest,
  type ToolDescription,
} from 'troupe'
import {
  lint,
  modelCallBound,
  scriptedModel,
  virtualClock,
  visibilityOf,
  type ScriptedModel,
  type ScriptedReply,
  type ScriptedToolCall,
} from 'troupe/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'

interface Node {
  readonly maxSteps: number
  readonly retries: number
  readonly perStep: number
  readonly groups: readonly string[] | undefined
  readonly tools: readonly Gate[]
  readonly children: readonly Node[]
  readonly successor: Node | undefined
}

/** When a tool is offered, and the state that it leads to. */
interface Gate {
  readonly group: string
  readonly state: string
  readonly next: string | undefined
}

const name = fc.constantFrom('a', 'b')
const gate: fc.Arbitrary<Gate> = fc.record({
  group: fc.constantFrom('a', 'b', '*'),
  state: fc.constantFrom('new', 'found', 'sold', '*'),
  next: fc.option(fc.constantFrom('found', 'sold'), { nil: undefined }),
})

/** A node with nodes of these levels below it. */
const nodeOver = (levels: number): fc.Arbitrary<Node> =>
  fc.record({
    maxSteps: fc.integer({ min: 1, max: 3 }),
    retries: fc.nat({ max: 2 }),
    perStep: fc.integer({ min: 1, max: 2 }),
    groups: fc.option(fc.uniqueArray(name), { nil: undefined }),
    tools: fc.array(gate, { maxLength: 3 }),
    children: levels === 0 ? fc.constant([]) : fc.array(nodeOver(levels - 1), { maxLength: 2 }),
    successor: levels === 0 ? fc.constant(undefined) : fc.option(nodeOver(levels - 1), { nil: undefined }),
  })

const tree = nodeOver(3)

interface Made {
  readonly root: AgentDefinition
  readonly models: ReadonlyMap<string, ScriptedModel>
}

/** Agents `n1`, `n2`, … with a tool `t0`, `t1`, … for each gate, and models that answer by `next`. */
function made(node: Node, maxDepth: number, next: (request: ModelRequest) => ScriptedReply): Made {
  const models = new Map<string, ScriptedModel>()
  const build = ({ tools, children, successor, groups, ...node }: Node): AgentDefinition => {
    const id = `n${models.size + 1}`
    const model = scriptedModel([], { modelId: id, otherwise: next })
    models.set(id, model)
    const handoffs = successor === undefined ? {} : { handoffs: [build(successor)], maxHandoffs: 2 }
    const common = {
      id,
      description: 'Works.',
      instructions: '',
      model,
      tools: Object.fromEntries(tools.map((one, index) => [`t${index}`, toolOf(one, index)])),
      maxSteps: node.maxSteps,
      retries: node.retries,
      maxToolCallsPerStep: node.perStep,
      toolState: 'new',
      ...(groups === undefined ? {} : { toolGroups: groups }),
      ...handoffs,
    }
    if (children.length === 0) return createAgent(common)
    const agents = Object.fromEntries(children.map((child, index) => [`c${index}`, build(child)]))
    return createSupervisor({ ...common, agents, maxDepth })
  }
  return { root: build(node), models }
}

function toolOf({ group, state, next }: Gate, index: number) {
  return createTool({
    id: `t${index}`,
    description: 'Does it.',
    inputSchema: z.object({}),
    groups: [group],
    applicableStates: [state],
    ...(next === undefined ? {} : { nextState: next }),
    execute: () => 'done',
  })
}

/** A reply by the next choice: a failure, an answer, or calls of what is on offer. */
function replies(choices: readonly number[]) {
  let at = 0
  const pick = (): number => choices[at++ % choices.length] ?? 0
  return ({ tools }: ModelRequest): ScriptedReply => {
    const choice = pick() % 8
    if (choice < 2) return { error: new RetryableError('Busy.', { retryAfterMs: 1 }) }
    if (choice === 2 || tools.length === 0) return { text: 'Done.' }
    const calls = Array.from({ length: 1 + (pick() % 3) }, () => tools[pick() % tools.length])
    return { toolCalls: calls.flatMap((tool) => (tool === undefined ? [] : [callOf(tool)])) }
  }
}

function callOf({ name }: ToolDescription): ScriptedToolCall {
  return name.startsWith('agent-') ? { name, args: { prompt: 'Go' } } : { name }
}

test('of random trees: runs stay within the bound, and offer no tool that lint calls unreachable', async () => {
  const found = new Set<string>()
  await fc.assert(
    fc.asyncProperty(
      tree,
      fc.integer({ min: 1, max: 3 }),
      fc.array(fc.nat({ max: 100 }), { minLength: 20, maxLength: 60 }),
      async (node, maxDepth, choices) => {
        const { root, models } = made(node, maxDepth, replies(choices))
        const findings = lint(root)
        for (const { code } of findings) found.add(code)
        expect(findings.map(({ code }) => code)).not.toContain('run-refused')
        const { calls: bound = Number.POSITIVE_INFINITY } = modelCallBound(root)
        expect(bound).toBeLessThan(Number.POSITIVE_INFINITY)

        const clock = virtualClock()
        const run = await createTroupe({ agents: [root], clock }).start(root, 'Go')
        await clock.runUntil(run.result)
        const requests = [...models.values()].flatMap(({ calls }) => calls.map(({ request }) => request))
        // Only a final turn has no choice.
        expect(requests.filter(({ toolChoice }) => toolChoice === 'auto').length).toBeLessThanOrEqual(bound)

        const views = visibilityOf(root)
        for (const { code, path } of findings) {
          if (code !== 'tool-outside-groups' && code !== 'tool-in-unreachable-state') continue
          const [place = '', tool = ''] = path.split('.tools.')
          const id = views.find((view) => view.path === place)?.agent ?? ''
          const offered = models.get(id)?.calls.flatMap(({ request }) => request.tools.map((one) => one.name))
          expect(offered).toBeDefined()
          expect(offered).not.toContain(tool)
        }
      },
    ),
    { numRuns: 150 },
  )
  expect([...found]).toEqual(
    expect.arrayContaining(['tool-outside-groups', 'tool-in-unreachable-state', 'subagent-too-deep']),
  )
})
