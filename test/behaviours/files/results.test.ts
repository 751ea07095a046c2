/** Files in the results of tools and in replies. */
import { describe, expect, test } from 'vitest'
import { createTool, createTroupe, file, memoryStore, textOf, type Store } from 'troupe'
import { z } from 'zod'
import { bytes, chart, data, filesIn, holdsBytes, other, ref } from './pictures.ts'
import { done, router, toAgent } from '../../support/agents/routing.ts'
import { allEvents, calls, lead, only, shown, to, toldOfCalls, worker } from '../../support/agents/agents.ts'

function giving(result: () => unknown) {
  return createTool({
    id: 'draw',
    description: 'Draws.',
    inputSchema: z.object({}),
    execute: result,
  })
}

const kept = { type: 'file', mediaType: 'image/png', name: 'chart.png', ref }
const sent = { type: 'file', mediaType: 'image/png', name: 'chart.png', data }

describe('a tool gives files', () => {
  test.each<[string, () => unknown, unknown, string]>([
    ['alone', () => chart, kept, '"[file \\"chart.png\\", image/png]"'],
    [
      'in a field, beside data',
      () => ({ points: 3, chart, at: new Date(0) }),
      { points: 3, chart: kept, at: '1970-01-01T00:00:00.000Z' },
      '{"points":3,"chart":"[file \\"chart.png\\", image/png]","at":"1970-01-01T00:00:00.000Z"}',
    ],
    [
      'in a list, the same twice',
      () => ['Two', chart, chart],
      ['Two', kept, kept],
      '["Two","[file \\"chart.png\\", image/png]","[file \\"chart.png\\", image/png]"]',
    ],
  ])('%s', async (_, result, value, text) => {
    const { agent, model } = worker('painter', [calls({ name: 'draw' }), 'Drawn.'], {
      tools: { draw: giving(result) },
    })
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Draw')
    const events = await allEvents(run)
    expect(only(events, 'tool-result').map(({ payload }) => payload.result)).toEqual([value])
    expect((await run.result).steps[0]?.toolResults[0]?.value).toEqual(value)
    expect(shown(model, 2).at(-1)).toMatchObject({ role: 'tool', content: [{ type: 'text', text }, sent] })
    expect(holdsBytes(await troupe.journal(run.id))).toBe(false)
    expect(await troupe.blobs.get(ref)).toEqual(bytes)
  })

  test('into a storage of its own beside the journals', async () => {
    const { agent } = worker('painter', [calls({ name: 'draw' }), 'Drawn.'], {
      tools: { draw: giving(() => chart) },
    })
    const blobs = memoryStore().blobs
    const troupe = createTroupe({ agents: [agent], store: { ...memoryStore(), blobs } })
    const run = await troupe.start(agent, 'Draw')
    expect((await run.result).steps[0]?.toolResults[0]?.value).toEqual(kept)
    expect(await blobs.get(ref)).toEqual(bytes)
  })

  test('data that looks like a file, and was not made by file(), stays data', async () => {
    const data = { type: 'file', mediaType: 'image/png', ref }
    const { agent, model } = worker('painter', [calls({ name: 'draw' }), 'Drawn.'], {
      tools: { draw: giving(() => data) },
    })
    await agent.generate('Draw')
    expect(shown(model, 2).at(-1)?.content).toBe(JSON.stringify(data))
  })

  test('the call fails where the store has no blobs, and the run goes on', async () => {
    const { agent, model } = worker('painter', [calls({ name: 'draw' }), 'Not drawn.'], {
      tools: { draw: giving(() => chart) },
    })
    const { blobs: _none, ...store }: Store = memoryStore()
    const run = await createTroupe({ agents: [agent], store }).start(agent, 'Draw')
    const events = await allEvents(run)
    expect(only(events, 'tool-error')[0]?.payload.error).toMatchObject({ code: 'NO_BLOB_STORAGE' })
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Not drawn.' })
    expect(toldOfCalls(model, 2)).toEqual(['{"error":"The tool \\"draw\\" failed."}'])
  })

  test('a result in the background comes with its files', async () => {
    const draw = createTool({
      id: 'draw',
      description: 'Draws.',
      inputSchema: z.object({}),
      background: true,
      execute: () => chart,
    })
    const { agent, model } = worker('painter', [calls({ name: 'draw' }), 'Soon.', 'Here it is.'], {
      tools: { draw },
    })
    expect(await agent.generate('Draw')).toMatchObject({ text: 'Here it is.' })
    const told = model.calls
      .flatMap(({ request }) => request.messages)
      .find(({ content }) => filesIn(content).length > 0)
    expect(told).toMatchObject({ role: 'user', internal: 'notice' })
    expect(filesIn(told?.content)).toEqual([sent])
  })
})

describe('a suspended tool', () => {
  test('shows files to the person that it asks: the journal has references', async () => {
    const ask = createTool({
      id: 'ask',
      description: 'Asks.',
      inputSchema: z.object({}),
      execute: (_, { resumeData, suspend }) => resumeData ?? suspend({ question: 'Right?', chart }),
    })
    const { agent } = worker('painter', [calls({ name: 'ask' }), 'Done.'], { tools: { ask } })
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Draw')
    const idle = await run.whenIdle
    expect(idle).toMatchObject({ awaiting: [{ payload: { question: 'Right?', chart: kept } }] })
    expect(holdsBytes(await troupe.journal(run.id))).toBe(false)
    expect(await troupe.blobs.get(ref)).toEqual(bytes)
  })
})

describe('the results of tools of a subagent', () => {
  test('have a line for each file, and no reference', async () => {
    const painter = worker('painter', [calls({ name: 'draw' }), 'Drawn.'], {
      tools: { draw: giving(() => ({ chart })) },
    })
    const { agent, model } = lead('boss', [calls(to('painter', 'Draw')), 'Done.'], {
      agents: { painter: painter.agent },
      delegation: { includeSubAgentToolResultsInModelContext: true },
    })
    await agent.generate('Go')
    const [told = ''] = toldOfCalls(model, 2)
    const [data = '', files] = told.split('\n')
    expect(JSON.parse(data)).toMatchObject({
      toolResults: [{ value: { chart: '[file "chart.png", image/png]' } }],
    })
    expect(files).toContain('chart.png')
    expect(told).not.toContain(ref)
  })
})

describe('a model replies with files', () => {
  test('alone after white space that was streamed, and a processor has read', async () => {
    const { agent } = worker('painter', [{ text: '\n', files: [chart] }], {
      outputProcessors: [{ id: 'reader', processOutputStream: () => undefined }],
    })
    const run = await createTroupe({ agents: [agent] }).start(agent, 'Draw')
    await allEvents(run)
    expect(await run.result).toMatchObject({ outcome: 'completed', files: [kept] })
  })

  test('and a cap cuts it off: its supervisor and its router have the files all the same', async () => {
    const cut = { text: 'Half.', files: [chart], ...calls({ name: 'draw' }) }
    const painter = () =>
      worker('painter', [cut, { text: 'Half.', files: [chart] }], {
        tools: { draw: giving(() => 'x') },
        maxSteps: 1,
      }).agent
    const { agent, model } = lead('boss', [calls(to('painter', 'Draw')), 'Done.'], {
      agents: { painter: painter() },
    })
    await agent.generate('Go')
    expect(toldOfCalls(model, 2)[0]).toContain('incomplete')
    expect(filesIn(shown(model, 2).at(-1)?.content)).toEqual([sent])
    const desk = router('desk', [toAgent('painter', 'Draw'), done('')], { agents: { painter: painter() } })
    expect(await desk.agent.generate('Go')).toMatchObject({ text: 'Half.', files: [sent] })
  })

  test('the result names them, and the conversation goes on with them', async () => {
    const look = createTool({
      id: 'look',
      description: 'Looks.',
      inputSchema: z.object({}),
      execute: () => 'fine',
    })
    const { agent, model } = worker(
      'painter',
      [
        { text: 'A first one.', files: [chart], ...calls({ name: 'look' }) },
        { files: [chart, file(other, 'image/png')] },
      ],
      { tools: { look } },
    )
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Draw')
    const result = await run.result
    expect(result.files).toMatchObject([kept, { mediaType: 'image/png' }])
    expect(result.text).toBe('')
    expect(shown(model, 2)[2]).toMatchObject({ role: 'assistant', content: [{ text: 'A first one.' }, sent] })
    expect(holdsBytes(await troupe.journal(run.id))).toBe(false)
    const replay = await troupe.replay(run.id)
    expect(replay.result).toEqual(result)
  })

  test('a supervisor is shown the files of a subagent’s answer, and may hand them on', async () => {
    const painter = worker('painter', [{ text: 'Here.', files: [chart] }])
    const critic = worker('critic', ['It is good.'])
    const { agent, model } = lead(
      'boss',
      [calls(to('painter', 'Draw')), calls(to('critic', 'Judge chart.png')), 'Done.'],
      { agents: { painter: painter.agent, critic: critic.agent } },
    )
    const result = await agent.generate('Go')
    expect(result).toMatchObject({ outcome: 'completed', delegations: [{ files: [kept] }, {}] })
    expect(shown(model, 2).at(-1)).toMatchObject({ role: 'tool' })
    expect(filesIn(shown(model, 2).at(-1)?.content)).toEqual([sent])
    expect(filesIn(shown(critic.model, 1).at(-1)?.content)).toEqual([sent])
    expect(textOf(shown(critic.model, 1).at(-1)?.content ?? '')).toContain('Judge chart.png')
  })

  test('a review that bails hands them on as those of the final answer', async () => {
    const painter = worker('painter', [{ text: 'Here.', files: [chart] }])
    const boss = lead('boss', [calls(to('painter', 'Draw')), 'Not said.'], {
      agents: { painter: painter.agent },
      delegation: { onDelegationComplete: ({ bail }) => bail() },
    })
    const troupe = createTroupe({ agents: [boss.agent] })
    const run = await troupe.start(boss.agent, 'Go')
    expect(await run.result).toMatchObject({ outcome: 'bailed', text: 'Here.', files: [kept] })
    expect((await troupe.replay(run.id)).result).toEqual(await run.result)
  })

  test('a router whose delegation bails, or which answers with a text of its own, has them or has none', async () => {
    const painter = () => worker('painter', [{ text: 'Here.', files: [chart] }]).agent
    // The only candidate is chosen without a model.
    const bailing = router('desk', [], {
      agents: { painter: painter() },
      delegation: { onDelegationComplete: ({ bail }) => bail() },
    })
    const result = await bailing.agent.generate('Go')
    expect(result).toMatchObject({ outcome: 'bailed', text: 'Here.', files: [sent] })
    const wrapping = router('desk', [done('It is drawn.')], {
      agents: { painter: painter() },
    })
    const wrapped = await wrapping.agent.generate('Go')
    expect(wrapped).toMatchObject({ text: 'It is drawn.', delegations: [{ files: [kept] }] })
    expect(wrapped.files).toBeUndefined()
  })

  test('an agent without a troupe gives the bytes, beside an object too', async () => {
    const { agent } = worker('painter', [{ text: 'Here.', files: [chart] }])
    expect((await agent.generate('Draw')).files).toEqual([sent])
    const { agent: again } = worker('painter', [{ text: '{"count":1}', files: [chart] }], {
      structuredOutput: { schema: z.object({ count: z.number() }) },
    })
    expect(await again.stream('Draw').result).toMatchObject({ object: { count: 1 }, files: [sent] })
  })

  test('a refused draft leaves no file', async () => {
    const { agent, model } = worker('painter', [{ text: 'Bad.', files: [chart] }, 'Good.'], {
      outputProcessors: [
        {
          id: 'judge',
          processOutput: ({ text, abort }) =>
            text === 'Bad.' ? abort('it is bad', { retry: true }) : undefined,
        },
      ],
    })
    const result = await agent.generate('Draw')
    expect(result).toMatchObject({ text: 'Good.' })
    expect(result.files).toBeUndefined()
    expect(shown(model, 2).some(({ content }) => filesIn(content).length > 0)).toBe(false)
  })
})
