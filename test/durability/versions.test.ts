import { describe, expect, test } from 'vitest'
import { createAgent, createSupervisor, createTool, createTroupe, memoryStore } from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { z } from 'zod'

const ask = createTool({
  id: 'ask',
  description: 'Asks a person.',
  inputSchema: z.object({}),
  requireApproval: true,
  execute: () => 'yes',
})

/** A team whose answers tell its version. */
function team(version: string | undefined, fresh = true) {
  const helper = createAgent({
    id: 'helper',
    ...(version === undefined ? {} : { version }),
    description: 'Helps.',
    instructions: `You are of ${version}.`,
    model: scriptedModel(fresh ? [{ toolCalls: [{ name: 'ask' }] }] : [], {
      otherwise: `Helped by ${version}.`,
    }),
    tools: { ask },
  })
  return createSupervisor({
    id: 'lead',
    ...(version === undefined ? {} : { version }),
    instructions: `Lead, ${version}.`,
    model: scriptedModel(
      fresh ? [{ toolCalls: [{ name: 'agent-helper', args: { prompt: 'Help.' } }] }] : [],
      { otherwise: `Led by ${version}.` },
    ),
    agents: { helper },
  })
}

describe('versions of an agent', () => {
  test('a run goes on with the version that it began with, and with its subagents', async () => {
    const store = memoryStore()
    const one = team('1')
    const first = createTroupe({ agents: [one], store })
    const run = await first.start(one, 'Go')
    const [asked] = (await suspended(run)).awaiting
    await first.close()

    const later = createTroupe({ agents: [team('1', false), team('2')], store })
    const again = await later.resume(run.id)
    await again.approve(asked?.toolCallId ?? '')
    const result = await again.result
    expect(result).toMatchObject({ outcome: 'completed', text: 'Led by 1.' })
    expect(result.delegations).toMatchObject([{ agent: 'helper', text: 'Helped by 1.' }])
    expect((await later.replay(run.id)).result).toEqual(result)
    expect((await later.journal(run.id))[0]).toMatchObject({
      type: 'run.started',
      agent: 'lead',
      version: '1',
    })
  })

  test('each version may be started beside the others', async () => {
    const [one, two] = [team('1'), team('2')]
    const troupe = createTroupe({ agents: [one, two] })
    for (const [agent, version] of [
      [one, '1'],
      [two, '2'],
    ] as const) {
      const run = await troupe.start(agent, 'Go')
      const { awaiting } = await suspended(run)
      await run.approve(awaiting[0]?.toolCallId ?? '')
      expect(await run.result).toMatchObject({
        text: `Led by ${version}.`,
        delegations: [{ text: `Helped by ${version}.` }],
      })
    }
  })

  test('a version that is missing is an error that lists those that there are', async () => {
    const store = memoryStore()
    const one = team('1')
    const first = createTroupe({ agents: [one], store })
    const run = await first.start(one, 'Go')
    await run.whenIdle
    await first.close()
    const later = createTroupe({ agents: [team('2'), team(undefined)], store })
    const message =
      'The agent "lead" is not here in the version that the run began with: "1". There are: "2", none. Register that version beside the others.'
    await expect(later.resume(run.id)).rejects.toThrow(message)
    await expect(later.replay(run.id)).rejects.toThrow(message)
  })

  test('two different agents of one id and version are refused, and so is a version that is no text', () => {
    expect(() => createTroupe({ agents: [team('1'), team('1')] })).toThrow(
      'createTroupe: there are two different agents with the id "lead" and the version "1".',
    )
    const model = scriptedModel([])
    expect(() => createAgent({ id: 'a', instructions: '', model, version: '' })).toThrow(
      'createAgent("a"): version must be a text that is not empty, not "".',
    )
  })
})

async function suspended(run: { readonly whenIdle: Promise<{ readonly outcome: string }> }) {
  const idle = await run.whenIdle
  expect(idle.outcome).toBe('suspended')
  return idle as { readonly outcome: string; readonly awaiting: readonly { readonly toolCallId: string }[] }
}
