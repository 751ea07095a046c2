/** Files that go from agent to agent: the model names those that a delegation hands on. */
import { describe, expect, test } from 'vitest'
import { createDebate, createDispatcher, createRouter, createTroupe, memoryStore } from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { chart, data, filesIn, holdsBytes, prompt, ref } from './pictures.ts'
import { allEvents, calls, lead, only, shown, toldOfCalls, worker } from '../../support/agents/agents.ts'

const sent = { type: 'file', mediaType: 'image/png', name: 'chart.png', data }

function crew(steps: Parameters<typeof lead>[1], more: Partial<Parameters<typeof lead>[2]> = {}) {
  const eye = worker('eye', [], { otherwise: 'It rises.' })
  return { eye, boss: lead('boss', steps, { agents: { eye: eye.agent }, ...more }) }
}

function named(files: readonly string[] | null, text = 'Look') {
  return { name: 'agent-eye', args: { prompt: text, files } as const }
}

describe('a delegation hands on', () => {
  test.each([
    ['the files that its call names', named(['chart.png'])],
    ['the files that its prompt names, where the call names none', named(null, 'Look at chart.png')],
  ])('%s', async (_, call) => {
    const { boss, eye } = crew([calls(call), 'Done.'])
    const result = await boss.agent.generate(prompt('What is it?', chart))
    expect(result).toMatchObject({ outcome: 'completed' })
    expect(filesIn(shown(eye.model, 1).at(-1)?.content)).toEqual([sent])
  })

  test.each([
    ['a longer name', 'Compare old-chart.png, chart.png.bak and chart.png2'],
    ['an extension before it', 'Compare my.chart.png'],
  ])('no file whose name is part of %s', async (_, text) => {
    const { boss, eye } = crew([calls(named(null, text)), 'Done.'])
    await boss.agent.generate(prompt('What is it?', chart))
    expect(shown(eye.model, 1).at(-1)?.content).toBe(text)
  })

  test.each(['chart.png', 'Is chart.png, or "old.png", better?', 'Read (chart.png).', 'In out/chart.png:'])(
    'a file whose name stands in the prompt: %s',
    async (text) => {
      const { boss, eye } = crew([calls(named(null, text)), 'Done.'])
      await boss.agent.generate(prompt('What is it?', chart))
      expect(filesIn(shown(eye.model, 1).at(-1)?.content)).toEqual([sent])
    },
  )

  test('a file whose name has signs of regular expressions', async () => {
    const { boss, eye } = crew([calls(named(null, 'Read chart (1)+.png')), 'Done.'])
    await boss.agent.generate(prompt('What is it?', { ...chart, name: 'chart (1)+.png' }))
    expect(filesIn(shown(eye.model, 1).at(-1)?.content)).toHaveLength(1)
  })

  test('no file that is not named: the history has a line for it', async () => {
    const { boss, eye } = crew([calls(named([])), 'Done.'])
    await boss.agent.generate([
      ...prompt('Keep this', chart),
      { role: 'assistant', content: 'I do.' },
      { role: 'user', content: 'Ask the eye about chart.png.' },
    ])
    expect(shown(eye.model, 1).map(({ content }) => content)).toEqual([
      'I am eye.',
      'Keep this\n[file "chart.png", image/png]',
      'I do.',
      'Ask the eye about chart.png.',
      'Look',
    ])
  })

  test('nothing, and is rejected, where a name is unknown; the model reads the names that there are', async () => {
    const { boss, eye } = crew([calls(named(['map.png', 'chart.png'])), calls(named(['chart.png'])), 'Done.'])
    const troupe = createTroupe({ agents: [boss.agent] })
    const run = await troupe.start(boss.agent, prompt('What is it?', chart))
    const events = await allEvents(run)
    expect(only(events, 'delegation-rejected')).toHaveLength(1)
    expect(only(events, 'delegation-end').map(({ payload }) => payload.outcome)).toEqual(['succeeded'])
    expect((await run.result).delegations[0]).toMatchObject({ error: { code: 'UNKNOWN_FILE' } })
    expect(toldOfCalls(boss.model, 2)).toEqual([
      '{"error":"Delegation rejected: There is no file \\"map.png\\" in the conversation. There are: \\"chart.png\\".","rejected":true}',
    ])
    expect(eye.model.calls).toHaveLength(1)
  })

  test('files of the last messages alone, as many as are shared, and those of the task', async () => {
    const old = { ...chart, name: 'old.png' }
    const history = [...prompt('Old', old), ...prompt('Newer', { ...chart, name: 'newer.png' })]
    const { boss } = crew([calls(named(['old.png'])), 'Done.'], { delegation: { maxMessages: 4 } })
    await boss.agent.generate([...history, { role: 'assistant', content: 'Yes.' }, ...prompt('Go', chart)])
    expect(toldOfCalls(boss.model, 2)[0]).toContain('There are: \\"chart.png\\", \\"newer.png\\".')
  })

  test('nothing where the conversation has no files: a delegation that names one is refused, one that names none goes on', async () => {
    const seen: unknown[] = []
    const { boss, eye } = crew([calls(named(['chart.png'])), calls(named([])), 'Done.'], {
      delegation: { onDelegationStart: ({ args }) => void seen.push(args) },
    })
    expect(await boss.agent.generate('What is it?')).toMatchObject({
      delegations: [{ outcome: 'rejected', error: { code: 'UNKNOWN_FILE' } }, { outcome: 'succeeded' }],
    })
    expect(toldOfCalls(boss.model, 2)).toEqual([
      '{"error":"Delegation rejected: There is no file \\"chart.png\\" in the conversation. There are none.","rejected":true}',
    ])
    expect(shown(eye.model, 1).at(-1)?.content).toBe('Look')
    expect(seen).toEqual([{ prompt: 'Look' }])
  })

  test('the files of the prompt, where the call names something else than a list', async () => {
    const { boss, eye } = crew([
      calls({ name: 'agent-eye', args: { prompt: 'Read chart.png', files: 'all' } }),
      'Done.',
    ])
    await boss.agent.generate(prompt('What is it?', chart))
    expect(filesIn(shown(eye.model, 1).at(-1)?.content)).toEqual([sent])
  })

  test('a hook changes the prompt, and its files stay', async () => {
    const { boss, eye } = crew([calls(named(['chart.png'])), 'Done.'], {
      delegation: { onDelegationStart: () => ({ proceed: true, modifiedPrompt: 'Look closely' }) },
    })
    await boss.agent.generate(prompt('What is it?', chart))
    expect(shown(eye.model, 1).at(-1)).toMatchObject({ content: [{ text: 'Look closely' }, sent] })
  })

  test('a hook sees the names of the files in the arguments, and may refuse to hand them on', async () => {
    const reader = worker('reader', ['Read.'])
    const { agent, model } = lead(
      'boss',
      [calls({ name: 'agent-reader', args: { prompt: 'Read', files: ['chart.png'] } }), 'Not read.'],
      {
        agents: { reader: reader.agent },
        delegation: {
          messageFilter: () => [],
          onDelegationStart: ({ args }) =>
            args.files?.includes('chart.png') === true
              ? { proceed: false, rejectionReason: 'chart.png stays here.' }
              : {},
        },
      },
    )
    const result = await agent.generate(prompt('See', chart))
    expect(result).toMatchObject({ text: 'Not read.', delegations: [{ outcome: 'rejected' }] })
    expect(toldOfCalls(model, 2)[0]).toContain('chart.png stays here.')
    expect(reader.model.calls).toHaveLength(0)
  })

  test('a supervisor reads the names of its files, and only then of handing them on', async () => {
    const { boss } = crew(['Seen.'])
    await boss.agent.generate(prompt('See', chart))
    expect(shown(boss.model, 1).at(-1)?.content).toEqual([
      { type: 'text', text: 'See' },
      { type: 'text', text: '[file "chart.png", image/png]' },
      sent,
    ])
    expect(boss.model.calls[0]?.request.tools[0]?.parameters).toMatchObject({ properties: { files: {} } })
    const without = crew(['Seen.'])
    await without.boss.agent.generate('No file')
    expect(without.boss.model.calls[0]?.request.tools[0]?.parameters['properties']).not.toHaveProperty(
      'files',
    )
  })
})

describe('the task goes with its files', () => {
  const eyes = () => ({
    left: worker('left', [], { otherwise: 'Left.' }),
    right: worker('right', [], { otherwise: 'Right.' }),
  })

  test('through a dispatcher', async () => {
    const { left, right } = eyes()
    const agent = createDispatcher({
      id: 'desk',
      instructions: 'Choose.',
      model: scriptedModel([decision('left')]),
      agents: { left: left.agent, right: right.agent },
    })
    expect(await agent.generate(prompt('See', chart))).toMatchObject({ outcome: 'completed', text: 'Left.' })
    expect(shown(left.model, 1).at(-1)).toEqual({
      role: 'user',
      content: [{ type: 'text', text: 'See' }, sent],
    })
  })

  test('through a router whose prompt names the file', async () => {
    const { left, right } = eyes()
    const agent = createRouter({
      id: 'desk',
      instructions: 'Choose.',
      memory: true,
      model: scriptedModel([decision('right', 'Describe chart.png'), decision('none', '', 'none')]),
      agents: { left: left.agent, right: right.agent },
    })
    expect(await agent.generate(prompt('See', chart))).toMatchObject({ outcome: 'completed' })
    expect(filesIn(shown(right.model, 1).at(-1)?.content)).toEqual([sent])
  })

  test('to every participant of a debate, in every round', async () => {
    const { left, right } = eyes()
    const agent = createDebate({
      id: 'debate',
      instructions: 'Judge.',
      model: scriptedModel([], { otherwise: 'Both.' }),
      agents: { left: left.agent, right: right.agent },
      rounds: 2,
    })
    expect(await agent.generate(prompt('See', chart))).toMatchObject({ outcome: 'completed' })
    for (const { model } of [left, right]) {
      expect(model.calls.map(({ request }) => filesIn(request.messages.at(-1)?.content))).toEqual([
        [sent],
        [sent],
        [sent],
      ])
    }
  })

  test('with a handoff, to the successor', async () => {
    const expert = worker('expert', ['It rises.'])
    const { agent } = worker('front', [calls({ name: 'transfer-to-expert', args: {} })], {
      handoffs: { expert: expert.agent },
    })
    expect(await agent.generate(prompt('See', chart))).toMatchObject({ outcome: 'completed', by: 'expert' })
    expect(shown(expert.model, 1).flatMap(({ content }) => filesIn(content))).toEqual([sent])
  })
})

function decision(primitiveId: string, text = '', primitiveType = 'agent'): string {
  return JSON.stringify({ primitiveId, primitiveType, prompt: text, selectionReason: 'It fits.' })
}

describe('memory', () => {
  test('a thread keeps references, and a later run is given the bytes', async () => {
    const store = memoryStore()
    const { agent, model } = worker('eye', ['A chart.', 'It rises.'], { memory: true })
    const troupe = createTroupe({ agents: [agent], store })
    await (
      await troupe.start(agent, prompt('See', chart), { threadId: 't' })
    ).result
    expect((await troupe.memory.messages('t'))[0]?.content).toEqual([
      { type: 'text', text: 'See' },
      { type: 'file', mediaType: 'image/png', name: 'chart.png', ref },
    ])
    await (
      await troupe.start(agent, 'Does it rise?', { threadId: 't' })
    ).result
    expect(shown(model, 2).flatMap(({ content }) => filesIn(content))).toEqual([sent])
  })

  test('an application saves messages with files', async () => {
    const { agent, model } = worker('eye', ['It rises.'], { memory: true })
    const troupe = createTroupe({ agents: [agent] })
    await troupe.memory.save('t', [{ id: '1', role: 'user', content: [chart], at: 1 }])
    await (
      await troupe.start(agent, 'Does it rise?', { threadId: 't' })
    ).result
    expect(shown(model, 1).flatMap(({ content }) => filesIn(content))).toEqual([sent])
  })

  test('a store of the user that holds bytes in its threads: no journal does', async () => {
    const store = memoryStore()
    await store.memory.save('t', [{ id: '1', role: 'user', content: [chart], at: 1 }])
    const { agent, model } = worker('eye', ['It rises.'], { memory: true })
    const troupe = createTroupe({ agents: [agent], store })
    const run = await troupe.start(agent, 'Does it rise?', { threadId: 't' })
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    expect(shown(model, 1).flatMap(({ content }) => filesIn(content))).toEqual([sent])
    expect(holdsBytes(await troupe.journal(run.id))).toBe(false)
  })

  test('a reply with files is remembered with them', async () => {
    const { agent, model } = worker('painter', [{ text: 'Here.', files: [chart] }, 'A line.'], {
      memory: true,
    })
    const troupe = createTroupe({ agents: [agent] })
    await (
      await troupe.start(agent, 'Draw', { threadId: 't' })
    ).result
    await (
      await troupe.start(agent, 'What is on it?', { threadId: 't' })
    ).result
    expect(shown(model, 2)[2]).toMatchObject({ role: 'assistant', content: [{ text: 'Here.' }, sent] })
  })
})

describe('functions of the user', () => {
  test('an input processor sees references, may take files away, and may put new ones in', async () => {
    const seen: unknown[] = []
    const { agent, model } = worker('eye', ['Seen.'], {
      inputProcessors: [
        {
          id: 'swap',
          processInput({ messages }) {
            seen.push(...messages.flatMap(({ content }) => filesIn(content)))
            const next = { ...chart, name: 'other.png' }
            return messages.map((message) =>
              message.role === 'user' ? { ...message, content: [next] } : message,
            )
          },
        },
      ],
    })
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, prompt('See', chart))
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    expect(seen).toEqual([{ type: 'file', mediaType: 'image/png', name: 'chart.png', ref }])
    expect(shown(model, 1).at(-1)?.content).toEqual([{ ...sent, name: 'other.png' }])
    expect(JSON.stringify(await troupe.journal(run.id))).not.toContain(data)
  })

  test('a handoff filter is given the files, and a message filter the lines that name them', async () => {
    const { boss, eye } = crew([calls(named(['chart.png'])), 'Done.'], {
      delegation: { messageFilter: ({ messages }) => messages },
    })
    await boss.agent.generate([...prompt('Old', chart), { role: 'user', content: 'Go' }])
    expect(
      shown(eye.model, 1)
        .slice(1, -1)
        .map(({ content }) => typeof content),
    ).toEqual(['string', 'string'])
    const expert = worker('expert', ['It rises.'])
    const { agent } = worker('front', [calls({ name: 'transfer-to-expert', args: {} })], {
      handoffs: { expert: expert.agent },
      handoffFilter: ({ messages }) => [...messages],
    })
    expect(await agent.generate(prompt('See', chart))).toMatchObject({ outcome: 'completed' })
    expect(shown(expert.model, 1).flatMap(({ content }) => filesIn(content))).toEqual([sent])
  })
})
