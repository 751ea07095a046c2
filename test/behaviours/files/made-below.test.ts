/** Files that the tools of subagents make go up with the results of the delegations, as those of replies do. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  createAgent,
  createDebate,
  createSupervisor,
  createTool,
  createTroupe,
  file,
  type AgentDefinition,
  type Message,
} from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { z } from 'zod'
import { bytes, chart, data, filesIn, holdsBytes } from './pictures.ts'
import { calls, lead, shown, to, worker } from '../../support/agents/agents.ts'
import { asksFor, divides, enough, fanOut } from '../../support/agents/fan-outs.ts'
import { plan, planner } from '../../support/agents/planner.ts'
import { done, router, toAgent } from '../../support/agents/routing.ts'

const sent = { type: 'file', mediaType: 'image/png', name: 'chart.png', data }

function drawing(made: unknown = { chart }) {
  return createTool({ id: 'draw', description: 'Draws.', inputSchema: z.object({}), execute: () => made })
}

/** A painter whose tool makes the file, and a critic. */
function cast() {
  const painter = worker('painter', [calls({ name: 'draw' }), 'Drawn.'], { tools: { draw: drawing() } })
  const critic = worker('critic', ['It is good.'])
  return { painter, critic, agents: { painter: painter.agent, critic: critic.agent } }
}

describe('a supervisor', () => {
  test.each([false, true])('sees the file and hands it on; with the tool results: %j', async (includes) => {
    const { critic, agents } = cast()
    const judge = { name: 'agent-critic', args: { prompt: 'Judge', files: ['chart.png'] } }
    const { agent, model } = lead('boss', [calls(to('painter', 'Draw')), calls(judge), 'Done.'], {
      agents,
      delegation: { includeSubAgentToolResultsInModelContext: includes },
    })
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    const result = await run.result
    expect(result).toMatchObject({
      outcome: 'completed',
      text: 'Done.',
      delegations: [{ text: 'Drawn.' }, {}],
    })
    expect(filesIn(shown(model, 2).at(-1)?.content)).toEqual([sent])
    expect(filesIn(shown(critic.model, 1).at(-1)?.content)).toEqual([sent])
    // They are no part of an answer.
    expect([result.files, result.delegations[0]?.files]).toEqual([undefined, undefined])
    const journal = await troupe.journal(run.id)
    expect(holdsBytes(journal)).toBe(false)
    expect((await troupe.replay(run.id)).result).toEqual(result)
    await troupe.close()
  })

  test('reads a text of a hook in the place of the result, and no file', async () => {
    const { agents } = cast()
    const { agent, model } = lead('boss', [calls(to('painter', 'Draw')), 'Done.'], {
      agents,
      delegation: { onDelegationComplete: () => ({ resultText: 'Withheld.' }) },
    })
    await agent.generate('Go')
    expect(shown(model, 2).at(-1)?.content).toBe('Withheld.')
  })

  test('has it once where the reply gives it too, and nothing of a subagent that failed', async () => {
    const painter = worker('painter', [calls({ name: 'draw' }), { text: 'Drawn.', files: [chart] }], {
      tools: { draw: drawing() },
    })
    const faulty = createAgent({
      id: 'faulty',
      description: 'Fails.',
      instructions: '',
      model: scriptedModel([calls({ name: 'draw' })]), // no second reply
      tools: { draw: drawing(file(Uint8Array.of(9), 'image/png', { name: 'lost.png' })) },
      retries: 0,
    })
    const { agent, model } = lead(
      'boss',
      [calls(to('painter', 'Draw')), calls(to('faulty', 'Draw')), 'Done.'],
      {
        agents: { painter: painter.agent, faulty },
      },
    )
    expect(await agent.generate('Go')).toMatchObject({
      delegations: [{ files: [{ name: 'chart.png' }] }, { outcome: 'failed' }],
    })
    expect(shown(model, 3).flatMap(({ content }) => filesIn(content))).toEqual([sent])
  })
})

describe('the other patterns', () => {
  test('a router may hand it on, and a dispatcher gives the files of the answer alone', async () => {
    const { critic, agents } = cast()
    const desk = router(
      'desk',
      [toAgent('painter', 'Draw'), toAgent('critic', 'Judge chart.png'), done('Good.')],
      {
        agents,
      },
    )
    const result = await desk.agent.generate('Go')
    expect(result).toMatchObject({ outcome: 'completed', text: 'Good.' })
    expect(filesIn(shown(critic.model, 1).at(-1)?.content)).toEqual([sent])
    const last = router('desk', [toAgent('painter', 'Draw'), done('')], { agents: cast().agents })
    const passed = await last.agent.generate('Go')
    expect([passed.text, passed.files]).toEqual(['Drawn.', undefined])
  })

  test('a fan-out hands it on to the next round', async () => {
    const { critic, agents } = cast()
    const { agent, model } = fanOut(
      'divider',
      [
        divides({ goal: 'Draw', agent: 'painter' }),
        asksFor({ goal: 'Judge chart.png', agent: 'critic' }),
        enough,
        'Done.',
      ],
      { agents },
    )
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(filesIn(shown(critic.model, 1).at(-1)?.content)).toEqual([sent])
    expect(shown(model, model.calls.length).flatMap(({ content }) => filesIn(content))).toEqual([sent])
  })

  test('a planner hands it on to a later step', async () => {
    const { critic, agents } = cast()
    const { agent } = planner(
      {
        plans: [
          plan(
            { id: 'draw', toolHint: 'agent-painter' },
            { id: 'judge', goal: 'Judge chart.png', toolHint: 'agent-critic', dependsOn: ['draw'] },
          ),
        ],
        steps: {
          draw: { tool: 'agent-painter', args: { prompt: 'Draw' } },
          judge: { tool: 'agent-critic', args: { prompt: 'Judge chart.png' } },
        },
        answer: 'Done.',
      },
      { agents },
    )
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(filesIn(shown(critic.model, 1).at(-1)?.content)).toEqual([sent])
  })

  test('a debate is reconciled with it', async () => {
    const { agents } = cast()
    const model = scriptedModel([], { otherwise: 'Both.' })
    const agent = createDebate({ id: 'debate', instructions: 'Judge.', model, agents, rounds: 1 })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', text: 'Both.' })
    expect(filesIn(shown(model, 1).at(-1)?.content)).toEqual([sent])
  })
})

interface Node {
  readonly below: readonly Node[]
  readonly draws: boolean
}

/** Trees of at most four levels below the top. */
const tree: fc.Memo<Node> = fc.memo((levels) =>
  fc.record({
    below: levels > 1 ? fc.array(tree(levels - 1), { maxLength: 2 }) : fc.constant([]),
    draws: fc.boolean(),
  }),
)

test('from any depth each file comes to the top, once', async () => {
  await fc.assert(
    fc.asyncProperty(tree(4), async (root) => {
      const names: string[] = []
      const build = (node: Node, id: string): AgentDefinition => {
        const name = `${id}.png`
        if (node.draws) names.push(name)
        const agents = Object.fromEntries(
          node.below.map((child, index) => [`${id}${index}`, build(child, `${id}${index}`)]),
        )
        const drawn = file(Uint8Array.of(...bytes, ...new TextEncoder().encode(id)), 'image/png', { name })
        const steps = [
          ...(node.draws ? [calls({ name: 'draw' })] : []),
          ...Object.keys(agents).map((key) => calls(to(key, 'Go'))),
          'Done.',
        ]
        return createSupervisor({
          id,
          description: 'Works.',
          instructions: '',
          model: scriptedModel(steps),
          agents,
          tools: node.draws ? { draw: drawing(drawn) } : {},
          maxDepth: 20,
        })
      }
      const below = build(root, 'a')
      const { agent, model } = lead('top', [calls(to('a', 'Go')), 'Done.'], {
        agents: { a: below },
        maxDepth: 20,
      })
      expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed' })
      const seen = shown(model, 2).flatMap(({ content }: Message) =>
        filesIn(content).map((made) => made.name),
      )
      expect(seen.map(String).toSorted()).toEqual(names.toSorted())
    }),
    { numRuns: 25 },
  )
})
