/** Budgets over a tree of agents on Restate, where each agent is a workflow of its own: as in one process. */
import { createAgent, createTool, type BudgetOptions, type ChatModel } from 'troupe'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { ScriptedReply } from 'troupe/testing'
import { calls, lead, to, worker } from '../../support/agents/agents.ts'
import { Desk } from '../crashes/desk.ts'
import { courseHere, courseOnRestate, type Course, type Team } from '../soak/differential.ts'

let desk: Desk
let namespaces = 0

beforeAll(async () => {
  desk = await Desk.open()
})

afterAll(() => desk[Symbol.asyncDispose]())

const looking = {
  id: 'look',
  description: 'Looks.',
  inputSchema: z.object({}),
  execute: () => 'seen',
}
const look = createTool(looking)

const nobody = (): never => {
  throw new Error('Nobody is asked.')
}

const usage = { inputTokens: 6, outputTokens: 4, totalTokens: 10 }

/** Looks around without end; without tools it says "Enough.". */
function restless(id: string, step: ScriptedReply = { ...calls({ name: 'look' }), usage }) {
  return worker(id, [], {
    tools: { look },
    maxSteps: 50,
    otherwise: ({ toolChoice }) => (toolChoice === 'none' ? { text: 'Enough.', usage } : step),
  })
}

/** A lead over a manager over a restless agent, and beside it another. */
function tree(first: ScriptedReply, step?: ScriptedReply) {
  const deep = restless('deep', step)
  const manager = lead('manager', [{ ...calls(to('deep', 'Look')), usage }], {
    agents: { deep: deep.agent },
    otherwise: { text: 'Managed.', usage },
  })
  const other = restless('other', step)
  const top = lead('top', [first], {
    agents: { manager: manager.agent, other: other.agent },
    otherwise: { text: 'Done.', usage },
  })
  const models = [top.model, manager.model, deep.model, other.model]
  const counted = (): number =>
    models.flatMap((model) => model.calls).filter(({ request }) => request.toolChoice !== 'none').length
  return { root: top.agent, answer: nobody, performed: new Map<string, number>(), counted }
}

const down: ScriptedReply = { ...calls(to('manager', 'Manage')), usage }

interface Both {
  readonly course: Course
  readonly here: Course
  readonly counted: number
}

async function courseThere(team: Team, options: { readonly budget: BudgetOptions }): Promise<Course> {
  const namespace = `budgets-${namespaces++}`
  await desk.serve({ agents: [team.root], namespace })
  const { ingress, admin } = desk.server
  return courseOnRestate(team, 'Go', { ingress, admin, namespace, pollInterval: 10 }, { options })
}

async function both(first: ScriptedReply, budget: BudgetOptions, step?: ScriptedReply): Promise<Both> {
  const options = { budget }
  const here = await courseHere(tree(first, step), 'Go', { options })
  const team = tree(first, step)
  const course = await courseThere(team, options)
  return { here, course, counted: team.counted() }
}

describe('a limit on a tree', () => {
  test.each<BudgetOptions>([{ modelCalls: 5 }, { modelCalls: 2 }, { tokens: 45 }, { modelCalls: 1 }])(
    'is reached as in one process: %j',
    async (budget) => {
      const { here, course } = await both(down, budget)
      expect(here.outcome).toBe('exhausted')
      expect(course).toEqual(here)
    },
  )

  test('holds over agents that work at the same time', async () => {
    const side = { ...calls(to('manager', 'Manage'), to('other', 'Look')), usage }
    const { course, counted } = await both(side, { modelCalls: 9 })
    expect(course).toMatchObject({ outcome: 'exhausted', reason: 'budget', warnings: ['modelCalls'] })
    expect(counted).toBe(9)
  })

  test('leaves no final turn where a reply of a subagent does not report its usage', async () => {
    const silent: ScriptedReply = { ...calls({ name: 'look' }), usage: { incomplete: true } }
    const { here, course, counted } = await both(down, { tokens: 1_000 }, silent)
    expect(here).toMatchObject({ outcome: 'exhausted', reason: 'budget' })
    expect(course).toEqual(here)
    expect(counted).toBe(3)
  })

  test('leaves no account behind', async () => {
    const { course } = await both(down, { modelCalls: 3 })
    expect(course.outcome).toBe('exhausted')
    await expect
      .poll(() => desk.rows(`SELECT service_key FROM state WHERE service_name LIKE 'budgets-%-accounts'`))
      .toEqual([])
  })
})

/** A tree whose subagents call a model that never answers, and has no last turn either. */
function hanging() {
  const hangs: ChatModel = {
    provider: 'test',
    modelId: 'hangs',
    generate: () => new Promise(() => undefined),
  }
  const deep = createAgent({ id: 'deep', description: 'Waits.', instructions: 'Wait.', model: hangs })
  const manager = lead('manager', [calls(to('deep', 'Wait'))], {
    agents: { deep },
    otherwise: 'Managed.',
  })
  const top = lead('top', [calls(to('manager', 'Manage'))], {
    agents: { manager: manager.agent },
    otherwise: 'Last.',
  })
  return { root: top.agent, answer: nobody, performed: new Map<string, number>() }
}

describe('the time of a tree', () => {
  test('ends calls that hang, last turns too, and the agent of the run still answers', async () => {
    const options = { budget: { wallClock: 2_000 } }
    const here = await courseHere(hanging(), 'Go', { options })
    expect(here).toMatchObject({ outcome: 'exhausted', reason: 'budget', text: 'Last.' })
    expect(await courseThere(hanging(), options)).toEqual(here)
  })

  test('stands still while a subagent waits for a person', async () => {
    const asking = createTool({ ...looking, requireApproval: true })
    const { agent } = worker('asker', [calls({ name: 'look' }), 'Asked.'], { tools: { look: asking } })
    const { agent: top } = lead('top', [calls(to('asker', 'Ask'))], {
      agents: { asker: agent },
      otherwise: 'Done.',
    })
    const troupe = await desk.troupe(top)
    const run = await troupe.start(top, 'Go', { budget: { wallClock: 8_000 } })
    for await (const { type, payload } of run.events) {
      if (type !== 'tool-call-approval') continue
      await new Promise((resolve) => setTimeout(resolve, 8_500))
      await run.approve(payload.toolCallId)
    }
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  })
})
