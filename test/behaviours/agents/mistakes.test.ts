/** Mistakes that a newcomer makes first: each is told, with the way to do it right. */
import {
  ConfigurationError,
  createAgent,
  createRouter,
  createSupervisor,
  createTool,
  createTroupe,
  orThrow,
  TerminalError,
  type AgentDefinition,
  type Problem,
  type Run,
} from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { describe, expect, test, vi } from 'vitest'
import { toPromise } from 'xstate'
import { z } from 'zod'
import { calls, lead, shown, to, worker } from '../../support/agents/agents.ts'

const model = scriptedModel([], { otherwise: 'Hello.' })
const tool = (id: string) =>
  createTool({ id, description: 'Looks.', inputSchema: z.object({}), execute: () => 1 })
const look = tool('look')
const find = tool('find-it')

describe('a list where names are needed', () => {
  const finder = worker('finder', []).agent
  const misuse = (parts: object): object => ({ id: 'solo', model, ...parts })

  test.each<[string, () => unknown, string]>([
    [
      'tools',
      () => createAgent(misuse({ tools: [look, find] }) as never),
      `createAgent("solo"): tools must be an object by name, such as { look, 'find-it': … }, not a list.`,
    ],
    [
      'workflows',
      () => createAgent(misuse({ workflows: [] }) as never),
      'createAgent("solo"): workflows must be an object by name, not a list.',
    ],
    [
      'an agent twice',
      () => createSupervisor(misuse({ agents: [finder, finder] }) as never),
      'createSupervisor("solo"): agents has the agent "finder" twice. As an object, agents may have keys of their own.',
    ],
    [
      'no object at all',
      () => createRouter(misuse({ agents: 'finder', memory: true }) as never),
      'createRouter("solo"): agents must be an object by name or a list, not "finder".',
    ],
  ])('%s', (_, make, message) => {
    expect(make).toThrow(new ConfigurationError(message))
    expect(make).toThrow(expect.objectContaining({ code: 'INVALID_CONFIGURATION' }))
  })

  test('from a function of the run: the run fails, and says so', async () => {
    const solo = createAgent({ id: 'solo', model, tools: (() => [look]) as never })
    expect(await solo.generate('Go')).toMatchObject({
      outcome: 'failed',
      error: {
        code: 'INVALID_CONFIGURATION',
        message: expect.stringContaining('such as { look }, not a list.'),
      },
    })
  })
})

test('an agent without instructions: its model gets no system message', async () => {
  const model = scriptedModel(['Hello.'])
  const solo = createAgent({ id: 'solo', model })
  expect(await solo.generate('Hi')).toMatchObject({ outcome: 'completed', text: 'Hello.' })
  expect(shown(model, 1)).toEqual([{ role: 'user', content: 'Hi' }])
})

test.each([
  ['thread', 'threadId'],
  ['threadId', 'threadId'],
  ['resource', 'resourceId'],
  ['resourceId', 'resourceId'],
])('memory.%s: the option stands beside memory', async (key, option) => {
  const { agent } = worker('solo', [])
  const memory: object = { [key]: 't1' }
  await expect(agent.generate('Hi', { memory })).rejects.toThrow(
    new ConfigurationError(
      `options of a run of "solo": memory: there is no option "${key}"; ${option} is an option of a run, beside memory: { memory: true, ${option}: … }.`,
    ),
  )
})

describe('a supervisor that contains itself', () => {
  const again = { otherwise: calls(to('helper', 'Once more.')) }

  test('is refused, and no model is called', async () => {
    const boss: { agent: AgentDefinition; model: typeof model } = lead('boss', [], {
      ...again,
      agents: (): Record<string, AgentDefinition> => ({ helper: boss.agent }),
    })
    const result = await boss.agent.generate('Go')
    expect(result).toMatchObject({
      outcome: 'failed',
      error: {
        code: 'INVALID_CONFIGURATION',
        message:
          'agents.helper of "boss": the agent contains itself (boss → boss), and each delegation would begin its work anew. Give it other subagents; an agent that is to go on with a conversation belongs in handoffs.',
      },
    })
    expect(boss.model.calls).toEqual([])
  })

  test('by way of another: the delegation that leads back fails, and the run goes on', async () => {
    const helper: { agent: AgentDefinition; model: typeof model } = lead('helper', [], {
      ...again,
      agents: (): Record<string, AgentDefinition> => ({ helper: boss.agent }),
    })
    const boss = lead('boss', [calls(to('helper', 'Help.')), 'It did not work.'], {
      agents: { helper: helper.agent },
    })
    const result = await boss.agent.generate('Go')
    expect(result).toMatchObject({ outcome: 'completed', text: 'It did not work.' })
    expect(result.delegations).toMatchObject([
      {
        outcome: 'failed',
        error: {
          code: 'INVALID_CONFIGURATION',
          message: expect.stringContaining('(helper → boss → helper)'),
        },
      },
    ])
    expect(helper.model.calls).toEqual([])
  })
})

describe('generate that ends suspended', () => {
  const remove = createTool({
    id: 'remove',
    description: 'Removes a file.',
    inputSchema: z.object({}),
    requireApproval: true,
    execute: () => 'removed',
  })
  const choose = createTool({
    id: 'choose',
    description: 'Asks a person.',
    inputSchema: z.object({}),
    execute: (_, { suspend, resumeData }) => resumeData ?? suspend(),
  })

  test('says how to go on', async () => {
    const { agent } = worker('solo', [calls({ name: 'remove' }, { name: 'choose' })], {
      tools: { remove, choose },
    })
    const problems: Problem[] = []
    const result = await agent.generate('Go', { onError: (problem) => problems.push(problem) })
    expect(result.outcome).toBe('suspended')
    expect(problems).toMatchObject([
      {
        message: 'generate() of "solo" ended suspended',
        where: 'run',
        runId: result.runId,
        agent: 'solo',
        error: {
          name: 'TroupeError',
          code: 'ANSWER_NEEDED',
          message:
            'The run waits for an approval of "remove" by "solo", data for a call of "choose" by "solo", and generate() gives no handle to answer with. Start it with createTroupe({ agents: [solo] }).start(solo, prompt), or with solo.stream(prompt), and call approve(toolCallId) or deny(toolCallId) or resume(toolCallId, data) of that run; result.awaiting has each toolCallId.',
        },
      },
    ])
  })

  test('on the console, where there is no onError', async () => {
    using warn = vi.spyOn(console, 'warn').mockReturnValue()
    const { agent } = worker('solo', [calls({ name: 'remove' })], { tools: { remove } })
    await agent.generate('Go')
    expect(warn.mock.calls).toEqual([
      ['troupe: generate() of "solo" ended suspended', expect.objectContaining({ code: 'ANSWER_NEEDED' })],
    ])
  })

  test('a handle says nothing: its caller can answer', async () => {
    using warn = vi.spyOn(console, 'warn').mockReturnValue()
    const { agent } = worker('solo', [calls({ name: 'remove' }), 'Done.'], { tools: { remove } })
    const run = agent.stream('Go')
    const result = await run.whenIdle
    if (result.outcome !== 'suspended') throw new Error(`The run is ${result.outcome}.`)
    await run.approve(result.awaiting[0]?.toolCallId ?? '')
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    const started = await createTroupe({ agents: [agent] }).start(agent, 'Go')
    await started.cancel()
    expect(warn.mock.calls).toEqual([])
  })
})

describe('a run that fails', () => {
  const broken = () => worker('solo', [{ error: new TerminalError('No key.', { code: 'MODEL_KEY' }) }]).agent
  const collecting = () => {
    const problems: Problem[] = []
    return { problems, onError: (problem: Problem) => void problems.push(problem) }
  }
  const all = async (items: AsyncIterable<unknown>): Promise<void> => {
    for await (const _item of items) continue
  }
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setTimeout(resolve, 1))
  }

  test('is told by generate, once, with its error', async () => {
    const { problems, onError } = collecting()
    const result = await broken().generate('Go', { onError })
    await turns()
    expect(problems).toMatchObject([
      {
        message: 'generate() of "solo" has failed',
        where: 'run',
        runId: result.runId,
        agent: 'solo',
        error: { code: 'MODEL_KEY', message: 'No key.' },
      },
    ])
    expect(() => orThrow(result)).toThrow(expect.objectContaining({ code: 'MODEL_KEY', runId: result.runId }))
  })

  test('is told where nobody reads its stream', async () => {
    const { problems, onError } = collecting()
    const run = broken().stream('Go', { onError })
    await expect.poll(() => problems).toMatchObject([{ runId: run.id, error: { code: 'MODEL_KEY' } }])
    await turns()
    expect(problems).toHaveLength(1)
  })

  test.each<[string, (run: Run) => Promise<unknown>]>([
    ['its result', async (run) => run.result],
    ['whenIdle', async (run) => run.whenIdle],
    ['its events', async (run) => all(run.events)],
    ['its text', async (run) => expect(all(run.textStream)).rejects.toMatchObject({ code: 'MODEL_KEY' })],
    ['its actor', async (run) => toPromise(run.actor)],
  ])('is not told where somebody reads %s', async (_, read) => {
    const { problems, onError } = collecting()
    await read(broken().stream('Go', { onError }))
    await turns()
    expect(problems).toEqual([])
  })

  test('on the console, where there is no onError', async () => {
    using warn = vi.spyOn(console, 'warn').mockReturnValue()
    await broken().generate('Go')
    expect(warn.mock.calls).toEqual([
      ['troupe: generate() of "solo" has failed', expect.objectContaining({ code: 'MODEL_KEY' })],
    ])
  })
})

test('a result that has not failed passes orThrow', async () => {
  const result = await worker('solo', ['Hello.']).agent.generate('Go')
  expect(orThrow(result)).toBe(result)
  const { agent } = worker('solo', [calls({ name: 'none' })], { maxSteps: 1, otherwise: 'Enough.' })
  expect(orThrow(await agent.generate('Go')).outcome).not.toBe('failed')
})
