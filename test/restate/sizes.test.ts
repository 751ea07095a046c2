/** What is larger than Restate takes: it is an outcome with a name, or comes in parts; nothing is tried again for it. */
import { z } from 'zod'
import { createTool } from 'troupe'
import type { WorkflowContext } from '@restatedev/restate-sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JournalEntry } from '../../src/runtime/journal/journal.ts'
import { keepTurn } from '../../src/restate/worker/turn-journal.ts'
import type { KeptTurn } from '../../src/restate/wire/wire.ts'
import { allOf } from '../support/all-of.ts'
import { calls, lead, to, worker } from '../support/agents/agents.ts'
import { Desk } from './crashes/desk.ts'

let desk: Desk

beforeAll(async () => {
  desk = await Desk.open()
})

afterAll(() => desk[Symbol.asyncDispose]())

const megabytes = (count: number): string => 'x'.repeat(count * 1_000_000)

/** It gives as much as one step may. */
function bulkyTool() {
  const ran = { times: 0 }
  const bulky = createTool({
    id: 'bulky',
    description: 'Gives much.',
    inputSchema: z.object({}),
    execute: () => {
      ran.times++
      return megabytes(7)
    },
  })
  return { bulky, ran }
}

const bulkily = (times: number) => Array.from({ length: times }, () => calls({ name: 'bulky', args: {} }))

describe('a run whose result is larger than a message', () => {
  test('has it all, and so have its events and its journal', async () => {
    const { bulky, ran } = bulkyTool()
    const { agent } = worker('hoarder', [...bulkily(5), 'All there.'], { tools: { bulky }, maxSteps: 6 })
    const troupe = await desk.troupe(agent)
    const run = await troupe.start(agent, 'Go')
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'completed', text: 'All there.' })
    expect(JSON.stringify(result).length).toBeGreaterThan(34_000_000)
    expect(ran.times).toBe(5)
    expect((await allOf(run.events)).at(-1)).toMatchObject({ type: 'run-finish' })
    const { parts } = await troupe.journal(run.id)
    expect(JSON.stringify(parts).length).toBeGreaterThan(34_000_000)
  })
})

describe('a subagent', () => {
  test('that ends with more than its supervisor may be told fails its delegation, once', async () => {
    const { bulky, ran } = bulkyTool()
    const { agent: helper } = worker('packrat', [...bulkily(3), 'All there.'], { tools: { bulky } })
    const { agent } = lead('tidy', [calls(to('packrat', 'Help')), 'Without it.'], {
      agents: { packrat: helper },
    })
    const run = await (await desk.troupe(agent)).start(agent, 'Go')
    expect(await run.result).toMatchObject({
      outcome: 'completed',
      text: 'Without it.',
      delegations: [{ outcome: 'failed', error: { code: 'OUTCOME_TOO_LARGE' } }],
    })
    expect(ran.times).toBe(3)
  })

  test('that would begin with more than fits is not begun', async () => {
    const { agent: helper, model } = worker('reader', ['Read.'])
    const text = megabytes(5)
    const { agent } = lead(
      'talker',
      [{ text, ...calls(to('reader', 'One')) }, { text, ...calls(to('reader', 'Two')) }, 'Done.'],
      { agents: { reader: helper } },
    )
    const run = await (await desk.troupe(agent)).start(agent, 'Go')
    expect(await run.result).toMatchObject({
      outcome: 'completed',
      delegations: [{ outcome: 'succeeded' }, { outcome: 'failed', error: { code: 'REQUEST_TOO_LARGE' } }],
    })
    expect(model.calls).toHaveLength(1)
  })
})

describe('what is said from outside', () => {
  test('an answer that is too large is refused, and another may be given', async () => {
    const asking = createTool({
      id: 'asking',
      description: 'Asks.',
      inputSchema: z.object({}),
      execute: (_input, { suspend, resumeData }) =>
        resumeData === undefined ? suspend({ question: 'Which?' }) : JSON.stringify(resumeData),
    })
    const { agent } = worker('asker', [calls({ name: 'asking', args: {} }), 'Heard.'], { tools: { asking } })
    const run = await (await desk.troupe(agent)).start(agent, 'Go')
    await run.whenIdle
    await expect(run.resume('asker/call:1.1', megabytes(9))).rejects.toMatchObject({
      code: 'REQUEST_TOO_LARGE',
    })
    await run.resume('asker/call:1.1', 'This one.')
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Heard.' })
  })

  test('a prompt that is too large begins no run', async () => {
    const { agent } = worker('listener', ['Heard.'])
    const troupe = await desk.troupe(agent)
    await expect(troupe.start(agent, megabytes(9))).rejects.toMatchObject({ code: 'REQUEST_TOO_LARGE' })
  })
})

describe('a turn that is kept', () => {
  const entry = (size: number) => ({ type: 'effect.settled', at: 1, key: megabytes(size) }) as JournalEntry
  const invocation = 'inv'

  function kept(turn: KeptTurn) {
    const state = new Map<string, KeptTurn>()
    const set = (name: string, bytes: Uint8Array): void =>
      void state.set(name, JSON.parse(new TextDecoder().decode(bytes)) as KeptTurn)
    const next = keepTurn({ set } as object as WorkflowContext, 3, turn)
    return { next, turns: [...state].map(([name, { entries, ...more }]) => [name, entries.length, more]) }
  }

  test('is one where it fits, and several where it does not, in order', () => {
    expect(kept({ entries: [entry(1), entry(1)], invocation })).toEqual({
      next: 4,
      turns: [['turn 3', 2, { invocation }]],
    })
    expect(kept({ entries: [entry(8), entry(8), entry(8), entry(8)], invocation })).toEqual({
      next: 5,
      turns: [
        ['turn 3', 2, { invocation }],
        ['turn 4', 2, {}],
      ],
    })
  })

  test('the end of a part stays with the entry that tells of it', () => {
    const last = { entries: [], after: 0 }
    const end = (path: string) =>
      ({
        type: 'effect.settled',
        key: `${path}/agent:run#1`,
        settlement: megabytes(12),
      }) as object as JournalEntry
    expect(kept({ entries: [end('a'), end('b')], ends: { a: last, b: last }, invocation }).turns).toEqual([
      ['turn 3', 1, { ends: { a: last }, invocation }],
      ['turn 4', 1, { ends: { b: last } }],
    ])
  })

  test('an entry that fits nowhere ends the run', () => {
    expect(() => kept({ entries: [entry(21)] })).toThrow(
      expect.objectContaining({ code: 'OUTCOME_TOO_LARGE' }),
    )
  })
})
