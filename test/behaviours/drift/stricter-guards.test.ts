/** Calls that are not made yet have the lower of the recorded cap on steps and that of today, and the output processors of both. */
import {
  createAgent,
  createRouter,
  createSupervisor,
  createTool,
  createTroupe,
  memoryStore,
  type AnyAgent,
  type InputProcessor,
  type OutputProcessor,
  type Store,
  type SupervisorOptions,
} from 'troupe'
import { scriptedModel, type ScriptedStep } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { allEvents, calls, to } from '../../support/agents/agents.ts'
import { done, toTool } from '../../support/agents/routing.ts'

/** Holds the run until a deploy has come. */
const hold = createTool({
  id: 'hold',
  description: 'Holds.',
  inputSchema: z.object({}),
  requireApproval: true,
  execute: () => 'held',
})
const look = createTool({
  id: 'look',
  description: 'Looks.',
  inputSchema: z.object({}),
  execute: () => 'seen',
})
const tools = { hold, look }

const scripted = (steps: readonly ScriptedStep[]) =>
  scriptedModel(steps, { modelId: 'm', otherwise: 'Over.' })

async function held(agent: AnyAgent, options = {}): Promise<{ store: Store; runId: string }> {
  const store = memoryStore()
  const troupe = createTroupe({ agents: [agent], store, onError: () => undefined })
  const run = await troupe.start(agent, 'Go', options)
  expect(await run.whenIdle).toMatchObject({ outcome: 'suspended' })
  await troupe.close()
  return { store, runId: run.id }
}

/** Goes on with the agents of today, and replays with those of before. */
async function deployed(
  { store, runId }: { store: Store; runId: string },
  today: AnyAgent,
  before: AnyAgent,
) {
  const troupe = createTroupe({ agents: [today], store, onError: () => undefined })
  const run = await troupe.resume(runId)
  const [question] = (await troupe.awaiting()).items
  await run.approve(question?.toolCallId ?? '')
  const result = await run.result
  const events = await allEvents(run)
  await troupe.close()
  for (const agent of [today, before]) {
    const { result: replayed, diverged } = await createTroupe({ agents: [agent], store }).replay(runId)
    expect(replayed).toEqual(result)
    expect(diverged).toBeUndefined()
  }
  return { result, events }
}

describe('a cap on steps', () => {
  const looking = calls({ name: 'look' })
  const agent = (maxSteps: number | undefined, steps: readonly ScriptedStep[]) =>
    createAgent({
      id: 'desk',
      model: scripted(steps),
      tools,
      ...(maxSteps === undefined ? {} : { maxSteps }),
    })
  const router = (cap: object, steps: readonly ScriptedStep[]) =>
    createRouter({ id: 'desk', model: scripted(steps), tools, memory: true, ...cap })
  const opening = [looking, calls({ name: 'hold' })]

  test.each([
    ['lower than the steps so far', 5, 1, 2, 'maxSteps'],
    ['at the steps so far', 5, 2, 2, 'maxSteps'],
    ['lower', 9, 4, 4, 'maxSteps'],
    ['lower than the default', undefined, 3, 3, 'maxSteps'],
    ['higher', 4, 9, 4, 'maxSteps'],
    ['taken away', 4, undefined, 4, 'maxSteps'],
  ])('that is %s by now', async (_name, before, now, steps, reason) => {
    const run = await held(agent(before, opening))
    const today = agent(now, [looking, looking, looking, looking, looking])
    const { result } = await deployed(run, today, agent(before, []))
    expect(result).toMatchObject({ outcome: 'exhausted', reason })
    expect(result.steps).toHaveLength(steps)
  })

  test('that is higher than the steps that the run needs changes nothing', async () => {
    const run = await held(agent(9, opening))
    const { result } = await deployed(run, agent(4, [looking, 'Done.']), agent(9, []))
    expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  })

  test.each([{ maxSteps: 3 }, { maxIterations: 3 }])('of a router that is %o by now', async (cap) => {
    const looks = toTool('look', {})
    const run = await held(router({}, [looks, toTool('hold', {})]))
    const { result } = await deployed(run, router(cap, [looks, looks, looks, done('Done.')]), router({}, []))
    expect(result).toMatchObject({ outcome: 'exhausted', reason: 'maxIterations' })
    expect(result.steps).toHaveLength(3)
  })

  test('of a subagent that begins after the deploy', async () => {
    const make = (maxSteps: number, desk: readonly ScriptedStep[], clerk: readonly ScriptedStep[]) =>
      createSupervisor({
        id: 'desk',
        model: scripted(desk),
        tools,
        agents: {
          clerk: createAgent({ id: 'clerk', description: 'C.', model: scripted(clerk), tools, maxSteps }),
        },
      })
    const run = await held(make(5, [calls({ name: 'hold' })], []))
    const today = make(2, [calls(to('clerk', 'x')), 'Done.'], [looking, looking, looking, looking])
    const { result } = await deployed(run, today, make(5, [], []))
    expect(result).toMatchObject({ outcome: 'completed', delegations: [{ outcome: 'exhausted' }] })
    expect(result.usage.byAgent['clerk']?.totalTokens).toBe(45) // two steps, and the last turn
  })

  test('of the run is not changed by that of its agent', async () => {
    const run = await held(agent(undefined, opening), { maxSteps: 4 })
    const { result } = await deployed(run, agent(2, [looking, 'Done.']), agent(undefined, []))
    expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  })
})

describe('an output processor that is new by now', () => {
  const refusing = (id: string, asked: string[] = []): OutputProcessor => ({
    id,
    processOutput: ({ text, abort }) => {
      asked.push(`${id}: ${text}`)
      if (text.includes('secret')) abort('It is secret.')
    },
  })
  const streaming: OutputProcessor = {
    id: 'streaming',
    processOutputStream: ({ text, abort }) => {
      if (text.includes('secret')) abort('It is secret.')
    },
  }
  const loud: OutputProcessor = { id: 'loud', processOutput: ({ text }) => text.toUpperCase() }
  const silent: OutputProcessor = { id: 'silent', processOutput: () => undefined }
  const quick: OutputProcessor = { id: 'quick', processOutputStream: ({ part }) => part.text }
  const broken: OutputProcessor = {
    id: 'broken',
    processOutput: () => {
      throw new Error('oops')
    },
  }
  const late: OutputProcessor = {
    id: 'late',
    processOutput: async () => new Promise<string>(() => undefined),
  }
  const agent = (
    outputProcessors: readonly OutputProcessor[] | undefined,
    steps: readonly ScriptedStep[],
    more: SupervisorOptions = {},
  ) =>
    createAgent({
      id: 'desk',
      model: scripted(steps),
      tools,
      ...(outputProcessors === undefined ? {} : { outputProcessors }),
      ...more,
    })
  const holding = calls({ name: 'hold' })

  test.each<[string, readonly OutputProcessor[] | undefined, readonly OutputProcessor[], object]>([
    ['beside none', undefined, [refusing('new')], { outcome: 'failed', error: { code: 'TRIPPED' } }],
    ['of parts, beside none', undefined, [streaming], { outcome: 'failed', error: { code: 'TRIPPED' } }],
    ['behind another', [silent], [silent, refusing('new')], { outcome: 'tripped' }],
    ['before another', [silent], [refusing('new'), silent], { outcome: 'tripped' }],
    ['behind one of parts', [quick], [quick, refusing('new')], { outcome: 'tripped' }],
    ['of parts, behind one of wholes', [silent], [silent, streaming], { outcome: 'tripped' }],
    ['of parts, behind one of parts', [quick], [quick, streaming], { outcome: 'tripped' }],
  ])('%s refuses a later reply', async (_name, before, now, expected) => {
    const run = await held(agent(before, [holding]), { stream: true })
    const { result, events } = await deployed(run, agent(now, ['The secret.']), agent(before, []))
    expect(result).toMatchObject(expected)
    expect(
      JSON.stringify([result.text, result.steps, events.filter(({ type }) => type === 'text-delta')]),
    ).not.toContain('The secret')
  })

  test.each<[string, readonly OutputProcessor[] | undefined, readonly OutputProcessor[]]>([
    ['beside none', undefined, [loud]],
    ['behind another', [silent], [silent, loud]],
    ['before another', [silent], [loud, silent]],
    ['behind one of parts', [quick], [quick, loud]],
  ])('%s changes a later reply', async (_name, before, now) => {
    const run = await held(agent(before, [holding]))
    const { result } = await deployed(run, agent(now, ['Done.']), agent(before, []))
    expect(result).toMatchObject({ outcome: 'completed', text: 'DONE.' })
  })

  test.each([
    ['throws', broken, 'HOOK_FAILED'],
    ['never answers', late, 'HOOK_TIMEOUT'],
  ])('and %s fails closed', async (_name, processor, code) => {
    const run = await held(agent(undefined, [holding], { hookTimeout: 20 }))
    const today = agent([processor], ['Done.'], { hookTimeout: 20 })
    const { result } = await deployed(run, today, agent(undefined, []))
    expect(result).toMatchObject({ outcome: 'failed', error: { code } })
    expect(result.text).not.toContain('Done.')
  })

  test('does not drop one that is on record, wherever it stands', async () => {
    const asked: string[] = []
    const [a, b, c] = ['a', 'b', 'c'].map((id) => refusing(id, asked)) as [
      OutputProcessor,
      OutputProcessor,
      OutputProcessor,
    ]
    const run = await held(agent([a, b], [holding]))
    asked.length = 0
    const { result } = await deployed(run, agent([c, b, a], ['Done.']), agent([a, b], []))
    expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(asked).toEqual(['a: Done.', 'b: Done.', 'c: Done.'])
  })

  test('that is gone by now fails closed by its name', async () => {
    const run = await held(agent([silent, refusing('gone')], [holding]))
    const { result } = await deployed(run, agent([silent], ['Done.']), agent([silent, refusing('gone')], []))
    expect(result).toMatchObject({
      outcome: 'failed',
      error: { message: expect.stringContaining('"gone"') as string },
    })
  })
})

describe('an input processor that is new by now', () => {
  const passing: InputProcessor = { id: 'passing', processInput: () => undefined }
  const refusing: InputProcessor = {
    id: 'refusing',
    processInput: ({ task, abort }) => {
      if (task.includes('secret')) abort('It is secret.')
    },
  }
  const make = (inputProcessors: readonly InputProcessor[], desk: readonly ScriptedStep[]) =>
    createSupervisor({
      id: 'desk',
      model: scripted(desk),
      tools,
      agents: {
        clerk: createAgent({
          id: 'clerk',
          description: 'C.',
          model: scripted(['Worked.']),
          inputProcessors,
        }),
      },
    })

  test.each([
    ['before', [refusing, passing]],
    ['behind', [passing, refusing]],
  ])('%s another refuses the task of an agent that begins later', async (_name, now) => {
    const run = await held(make([passing], [calls({ name: 'hold' })]))
    const today = make(now, [calls(to('clerk', 'Tell the secret.')), 'Done.'])
    const { result } = await deployed(run, today, make([passing], []))
    expect(result).toMatchObject({ outcome: 'completed', delegations: [{ error: { code: 'TRIPPED' } }] })
  })
})
