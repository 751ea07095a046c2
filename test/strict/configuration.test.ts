/** Items of the live configuration are read strictly: when they are set, and again by the run that chooses from them. */
import { createMetaRouter, createTroupe, memoryStore } from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { worker } from '../support/agents/agents.ts'

const audit = { name: 'audit', description: 'Audits.', valid_patterns: ['react'] }

function desk(choice = 'audit') {
  const thinker = worker('thinker', ['Done.'])
  const model = scriptedModel([JSON.stringify({ taskType: choice, rationale: 'so' })])
  const agent = createMetaRouter({ id: 'desk', instructions: '', model, agents: { react: thinker.agent } })
  const store = memoryStore()
  return { thinker, agent, store, troupe: createTroupe({ agents: [agent], store }) }
}

describe('an item that is set', () => {
  test.for<[string, string, unknown, string]>([
    ['agent-task-type', 'adit', audit, 'its name is "audit"; key and name must be the same.'],
    ['agent-pattern', 'reakt', { name: 'react', description: 'Acts.' }, 'its name is "react"'],
    [
      'agent-task-type',
      'audit',
      { ...audit, frming: 'Strictly.' },
      'there is no field "frming"; did you mean "framing"?',
    ],
    [
      'agent-task-type',
      'audit',
      { ...audit, framing: 'A', framing_prompt: 'B' },
      'both are given, and they differ',
    ],
    [
      'agent-task-type',
      'audit',
      { ...audit, valid_patterns: [7] },
      'valid_patterns[0] must be a text that is not empty, not 7.',
    ],
    ['agent-task-type', 'audit', ['audit'], 'config: agent-task-type "audit" must be an object'],
  ])(
    '%s %j → %j is refused, and so are those that are loaded with it',
    async ([kind, key, value, message]) => {
      const { troupe, store } = desk()
      await expect(troupe.config.set(kind, key, value as never)).rejects.toThrow(message)
      const loading = troupe.config.load({
        'agent-task-type': { ok: { ...audit, name: 'ok' } },
        [kind]: { [key]: value },
      })
      await expect(loading).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION' })
      expect(await store.config.items('agent-task-type')).toEqual([])
    },
  )

  test('framing is another name of framing_prompt; both may say the same', async () => {
    const alike: readonly Readonly<Record<string, string>>[] = [
      { framing: 'Be strict.' },
      { framing: 'Be strict.', framing_prompt: 'Be strict.' },
    ]
    for (const more of alike) {
      const { thinker, agent, troupe } = desk()
      await troupe.config.set('agent-task-type', 'audit', { ...audit, ...more })
      await (
        await troupe.start(agent, 'Look.')
      ).result
      expect(thinker.model.calls[0]?.request.messages[0]?.content).toContain('Be strict.')
    }
  })
})

test('a run tells what it could not use: items that do not fit, and patterns that nobody knows', async () => {
  const { agent, store, troupe } = desk()
  // As another program, or an older release, may have written them.
  await store.config.set({ kind: 'agent-task-type', key: 'odd', value: { ...audit, name: 'even' } })
  await store.config.set({ kind: 'agent-pattern', key: 'bad', value: { name: 'bad', descripton: 'x' } })
  await store.config.set({
    kind: 'agent-task-type',
    key: 'audit',
    value: { ...audit, valid_patterns: ['reakt', 'supervisor', 'react'] },
  })
  const run = await troupe.start(agent, 'Look.')
  const result = await run.result
  expect(result.decisions?.[0]).toMatchObject({
    subject: 'task-type',
    choice: 'audit',
    ignored: [
      'agent-pattern "bad": there is no field "descripton"; did you mean "description"? Known: name, description, when_to_use, settings.',
      'agent-task-type "odd": its name is "even"; key and name must be the same.',
      expect.stringContaining(
        'agent-task-type "audit": there is no pattern "reakt"; did you mean "react"?',
      ) as string,
    ],
  })
  expect(result.decisions?.[1]).toMatchObject({ candidates: ['react'], choice: 'react' })
  expect((await troupe.replay(run.id)).result).toEqual(result)
})

describe('an item is held against the agents where it is set', () => {
  const typo = { ...audit, valid_patterns: ['recat'] }
  const refusal = `config: agent-task-type "audit": valid_patterns: there is no pattern "recat"; did you mean "react"? Known: react, plan-then-execute, supervisor.`

  test('a pattern that nobody knows is refused, and so is what is loaded with it', async () => {
    const { troupe, store } = desk()
    await expect(troupe.config.set('agent-task-type', 'audit', typo)).rejects.toThrow(refusal)
    const loading = troupe.config.load({ 'agent-task-type': { audit: typo }, other: { kept: 1 } })
    await expect(loading).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION', message: refusal })
    expect(await store.config.items('agent-task-type')).toEqual([])
    expect(await store.config.items('other')).toEqual([])
  })

  test('a pattern that is configured before or with it, and each that the library knows, is taken', async () => {
    const { troupe } = desk()
    const own = (name: string) => ({ name, description: 'Of ours.' })
    const type = (name: string, ...valid_patterns: string[]) => ({ ...audit, name, valid_patterns })
    await troupe.config.set('agent-pattern', 'poem', own('poem'))
    await troupe.config.set('agent-task-type', 'verse', type('verse', 'poem', '*', 'supervisor'))
    await troupe.config.load({
      'agent-task-type': { song: type('song', 'tune') },
      'agent-pattern': { tune: own('tune') },
    })
    expect((await troupe.config.items('agent-task-type')).map(({ key }) => key)).toEqual(['verse', 'song'])
  })

  test('a cap that the agent of the pattern does not have is refused', async () => {
    const { troupe } = desk()
    const item = { name: 'react', description: 'Acts.', settings: { maxReplans: 2 } }
    await expect(troupe.config.set('agent-pattern', 'react', item)).rejects.toThrow(
      'config: agent-pattern "react".settings.maxReplans: the agent "thinker" has no such option.',
    )
    await troupe.config.set('agent-pattern', 'react', { ...item, settings: { maxSteps: 2 } })
  })

  test('a process without a meta-router refuses no pattern: the agents are elsewhere', async () => {
    const { thinker, store } = desk()
    const troupe = createTroupe({ agents: [thinker.agent], store })
    await troupe.config.set('agent-task-type', 'audit', { ...audit, valid_patterns: ['theirs'] })
    expect(await store.config.items('agent-task-type')).toHaveLength(1)
  })

  test('what is refused here is told by a run that finds it in the store', async () => {
    const { agent, store, troupe } = desk()
    await store.config.set({ kind: 'agent-task-type', key: 'audit', value: typo })
    const { decisions } = await (await troupe.start(agent, 'Look.')).result
    expect(decisions?.[0]?.ignored).toEqual([
      expect.stringContaining('there is no pattern "recat"; did you mean "react"?') as string,
    ])
  })
})

test('a definition that names a pattern which nobody knows is refused; those of the library are known', () => {
  const { thinker } = desk()
  const define = (valid_patterns: string[]) => () =>
    createMetaRouter({
      id: 'desk',
      instructions: '',
      model: scriptedModel([]),
      agents: { react: thinker.agent },
      taskTypes: [{ ...audit, valid_patterns }],
    })
  expect(define(['reakt'])).toThrow(
    'createMetaRouter("desk"): taskTypes[0].valid_patterns: there is no pattern "reakt"; did you mean "react"?',
  )
  expect(define(['supervisor', 'react', '*'])).not.toThrow()
})
