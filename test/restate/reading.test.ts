/** How the journals of a run are read while it goes on: seldom where nothing happens, and nothing is missed. */
import {
  createAgent,
  createSupervisor,
  TroupeError,
  type AnyAgent,
  type ChatModel,
  type RunEvent,
} from 'troupe'
import type { RunExport } from 'troupe/restate'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asDefinition } from '../../src/runtime/definition/definition.ts'
import { AgentRegistry } from '../../src/runtime/definition/registry.ts'
import { PollSchedule, TreeReplay } from '../../src/restate/client/tree-replay.ts'
import { Desk } from './crashes/desk.ts'

let desk: Desk

beforeAll(async () => {
  desk = await Desk.open()
})

afterAll(() => desk[Symbol.asyncDispose]())

describe('rhythm', () => {
  const looks = (rhythm: PollSchedule, count: number): number[] =>
    Array.from({ length: count }, (_, look) => look).filter(() => {
      const isDue = rhythm.isDue()
      if (isDue) rhythm.wasRead(false)
      return isDue
    })

  test('one that is quiet is left out for half as long as it was', () => {
    expect(looks(new PollSchedule(), 30)).toEqual([0, 1, 3, 6, 10, 16, 25])
  })

  test('one that has long been quiet is looked at still', () => {
    const rhythm = new PollSchedule()
    looks(rhythm, 1_000)
    expect(looks(rhythm, 41)).toHaveLength(1)
  })

  test('one that moves is looked at each time, and so is one that was told something', () => {
    const rhythm = new PollSchedule()
    looks(rhythm, 100)
    rhythm.wasRead(true)
    expect(looks(rhythm, 2)).toEqual([0, 1])
    looks(rhythm, 100)
    rhythm.wake()
    expect(looks(rhythm, 2)).toEqual([0, 1])
  })
})

/** The tree of a run, as far as its journals are `present`. */
function treeOf(lead: AnyAgent, present: { journals: RunExport }, onRead: () => Promise<void> | void) {
  const registry = new AgentRegistry()
  registry.add(asDefinition(lead), 'test')
  return new TreeReplay({
    registry,
    agent: 'lead',
    read: async (_agent, path, from) => {
      await onRead()
      const turns = present.journals.parts.find((one) => one.path === path)?.turns ?? []
      return { turns: turns.slice(from).map((entries) => ({ entries })) }
    },
  })
}

/** Many subagents that are at work until they are let go, all at once. */
async function fanOut(width: number) {
  const gate = Promise.withResolvers<void>()
  const allBegun = Promise.withResolvers<void>()
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
  const say = (text: string) => ({ text, toolCalls: [], finishReason: 'stop', usage }) as const
  let begun = 0
  const model = (generate: ChatModel['generate']): ChatModel => ({ provider: 'test', modelId: 'm', generate })
  const helper = createAgent({
    id: 'helper',
    description: 'Helps.',
    instructions: 'Help.',
    model: model(async () => {
      if (++begun === width) allBegun.resolve()
      await gate.promise
      return say('Helped.')
    }),
  })
  const lead = createSupervisor({
    id: 'lead',
    instructions: 'Lead.',
    agents: { helper },
    toolCallConcurrency: width,
    model: model(async ({ messages }) => {
      if (messages.some(({ role }) => role === 'tool')) return say('Done.')
      const prompts = Array.from({ length: width }, (_, n) => ({ prompt: `Help ${n}.` }))
      const toolCalls = prompts.map((args) => ({ id: '', name: 'agent-helper', args }))
      return { text: '', toolCalls, finishReason: 'tool-calls', usage }
    }),
  })
  const troupe = await desk.troupe(lead)
  const run = await troupe.start(lead, 'Go')
  await allBegun.promise
  const before = await troupe.journal(run.id)
  gate.resolve()
  const result = await run.result
  return { lead, before, after: await troupe.journal(run.id), result }
}

test('what many quiet subagents cost does not grow with each look, and what they do is told in order', async () => {
  const { lead, before, after, result } = await fanOut(40)
  const present = { journals: before }
  let reads = 0
  const tree = treeOf(lead, present, () => void reads++)
  for (let look = 0; look < 100; look++) await tree.pump()
  expect(reads).toBeLessThan(100 + 40 * 15)

  present.journals = after
  await tree.pump()
  expect(tree.root?.output).toMatchObject({ outcome: 'completed', text: result.text })
  const events = tree.log.toArray()
  for (const { id } of result.delegations) {
    const own = events.findIndex(({ type, path }) => type === 'text-end' && path === `${id}/helper`)
    const told = events.findIndex(({ type, path }) => type === 'delegation-end' && path === id)
    expect(own).toBeGreaterThan(0)
    expect(told).toBeGreaterThan(own)
  }
})

test('a server that is away in the midst of a look makes nothing be missed, and nothing be told twice', async () => {
  const { lead, before, after, result } = await fanOut(6)
  const present = { journals: before }
  let reads = 0
  const tree = treeOf(lead, present, async () => {
    // Whoever is asked next is asked while this one has not answered.
    await new Promise((resolve) => setImmediate(resolve))
    if (++reads % 3 === 0) throw new TroupeError('RESTATE_UNREACHABLE', 'It is away.')
  })
  const look = async (): Promise<void> => {
    try {
      await tree.pump()
    } catch (error) {
      expect(error).toMatchObject({ code: 'RESTATE_UNREACHABLE' })
    }
  }
  for (let looks = 0; looks < 10; looks++) await look()
  present.journals = after
  for (let looks = 0; looks < 100 && !tree.hasEnded; looks++) await look()
  expect(tree.root?.output).toMatchObject({ outcome: 'completed', text: result.text })

  const whole = treeOf(lead, { journals: after }, () => undefined)
  await whole.pump()
  const names = (events: readonly RunEvent[]) => events.map(({ path, type }) => `${path} ${type}`).toSorted()
  expect(names(tree.log.toArray())).toEqual(names(whole.log.toArray()))
})
