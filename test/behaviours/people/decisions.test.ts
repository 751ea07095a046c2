/** Who decided what, when, and about which call: over all runs of a store, in pages, with the agents of the runs and without. */
import { createAgent, createTool, createTroupe, memoryStore, type Store, type Troupe } from 'troupe'
import { storedRuns } from 'troupe/kit'
import { sqliteStore } from 'troupe/sqlite'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { calls, lead, to, until, worker } from '../../support/agents/agents.ts'
import { ManualClock } from '../../support/clocks/manual-clock.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const pay = createTool({
  id: 'pay',
  description: 'Pays.',
  inputSchema: z.object({ euros: z.number() }),
  requireApproval: true,
  execute: ({ euros }) => `Paid ${euros}.`,
})
const ask = createTool({
  id: 'ask',
  description: 'Asks a person.',
  inputSchema: z.object({ what: z.string() }),
  execute: ({ what }, { suspend, resumeData }) => resumeData ?? suspend({ what }),
})

type Step = ReturnType<typeof calls>

/** Calls first, and answers once the call has its result. */
const callsFirst =
  (step: Step, answer: string) =>
  ({ messages }: { readonly messages: readonly { readonly role: string }[] }): Step | string =>
    messages.some(({ role }) => role === 'tool') ? answer : step

const clerk = () =>
  worker('clerk', [], {
    tools: { pay },
    otherwise: callsFirst(calls({ name: 'pay', args: { euros: 7 } }), 'Paid.'),
  }).agent
const boss = () =>
  lead('boss', [], { agents: { clerk: clerk() }, otherwise: callsFirst(calls(to('clerk', 'Pay.')), 'Done.') })
    .agent
const asker = () =>
  worker('asker', [], {
    tools: { ask },
    otherwise: callsFirst(calls({ name: 'ask', args: { what: 'Where?' } }), 'There.'),
  }).agent

/** Runs of two people: one is approved with a change, one denied, one answered, spoken to and cancelled. */
async function decided(store: Store = memoryStore()) {
  const clock = new ManualClock()
  const [desk, guide] = [boss(), asker()]
  const troupe = createTroupe({ agents: [desk, guide], store, clock })
  const question = async (runId: string) => (await troupe.awaiting({ runId })).items[0]?.toolCallId ?? ''
  const first = await troupe.start(desk, 'Go', { runId: 'first', resourceId: 'ann' })
  await first.whenIdle
  clock.advance(1_000)
  await first.approve(await question('first'), { by: 'chief', note: 'It is due.', args: { euros: 5 } })
  await first.result
  clock.advance(1_000)
  const second = await troupe.start(desk, 'Go', { runId: 'second', resourceId: 'bob' })
  await second.whenIdle
  await second.deny(await question('second'), 'Too much.', { by: 'chief' })
  await second.result
  clock.advance(1_000)
  const third = await troupe.start(guide, 'Go', {
    runId: 'third',
    resourceId: 'ann',
    conversationId: 'c',
  })
  await third.whenIdle
  await third.resume(await question('third'), { city: 'Oslo' }, { by: 'ann', answerId: 'a1' })
  await third.result
  const fourth = await troupe.start(guide, 'Go', { runId: 'fourth', resourceId: 'ann' })
  await fourth.whenIdle
  await fourth.say('Hurry.', { by: 'ann', id: 's1' })
  await fourth.cancel('Not needed.', { by: 'ann' })
  await fourth.result
  return { troupe, store }
}

const call = 'boss/delegation:1.1/clerk/call:1.1'
const facts = { toolCallId: call, toolName: 'pay', args: { euros: 7 } }

test('each decision stands with its author, its time and its call', async () => {
  const { troupe } = await decided()
  expect((await troupe.decisions()).items).toEqual([
    {
      runId: 'first',
      agent: 'boss',
      resourceId: 'ann',
      entry: 3,
      at: expect.any(Number),
      type: 'approve',
      by: 'chief',
      note: 'It is due.',
      changedArgs: { euros: 5 },
      ...facts,
    },
    expect.objectContaining({ runId: 'second', type: 'deny', by: 'chief', reason: 'Too much.', ...facts }),
    expect.objectContaining({
      runId: 'third',
      conversationId: 'c',
      type: 'resume',
      by: 'ann',
      id: 'a1',
      data: { city: 'Oslo' },
      toolName: 'ask',
      args: { what: 'Where?' },
    }),
    expect.objectContaining({ runId: 'fourth', type: 'say', by: 'ann', id: 's1', message: 'Hurry.' }),
    expect.objectContaining({ runId: 'fourth', type: 'cancel', by: 'ann', reason: 'Not needed.' }),
  ])
  await troupe.close()
})

test('they are chosen by run, agent, resource, conversation, author and time', async () => {
  const { troupe } = await decided()
  const all = (await troupe.decisions()).items
  const at = all[1]?.at ?? 0
  const runs = async (filter: Parameters<Troupe['decisions']>[0]) =>
    (await troupe.decisions(filter)).items.map(({ runId, type }) => `${runId} ${type}`)
  expect(await runs({ resourceId: 'bob' })).toEqual(['second deny'])
  expect(await runs({ runId: 'first' })).toEqual(['first approve'])
  expect(await runs({ agent: 'asker', by: 'ann' })).toEqual(['third resume', 'fourth say', 'fourth cancel'])
  expect(await runs({ conversationId: 'c' })).toEqual(['third resume'])
  expect(await runs({ by: 'nobody' })).toEqual([])
  expect(await runs({ from: at, to: at + 1 })).toEqual(['second deny'])
  expect(await runs({ to: at })).toEqual(['first approve'])
  expect(await runs({ from: at + 1 })).toEqual(['third resume', 'fourth say', 'fourth cancel'])
  await troupe.close()
})

test.each([1, 2, 3, 4, 5, 6])('pages of %i give each decision once', async (limit) => {
  const { troupe } = await decided()
  const all = (await troupe.decisions()).items
  const given = []
  let before: string | undefined
  do {
    const page = await troupe.decisions({ limit, ...(before === undefined ? {} : { before }) })
    expect(page.items.length).toBeLessThanOrEqual(limit)
    given.push(...page.items)
    before = page.next
  } while (before !== undefined)
  expect(given).toEqual(all)
  await troupe.close()
})

test('without the agents of a run they stand without the tool and its arguments', async () => {
  using folder = temporaryFolder()
  const store = sqliteStore(folder.file('runs.db'))
  const { troupe } = await decided(store)
  const all = (await troupe.decisions()).items
  await troupe.close()
  const stored = storedRuns({ store })
  const bare = all.map(({ toolName: _tool, args: _args, ...decision }) => decision)
  expect((await stored.decisions()).items).toEqual(bare)
  await stored.close()
  const withAgents = storedRuns({ store, agents: [boss(), asker()] })
  expect((await withAgents.decisions()).items).toEqual(all)
  await withAgents.close()
  await store.close()
})

test('a fork has its own decisions alone, and a forced end is one', async () => {
  const { troupe, store } = await decided()
  const fork = await troupe.fork('first', { at: 3 })
  await until(fork, 'suspended')
  await fork.deny(call, 'No.', { by: 'auditor' })
  await fork.result
  expect((await troupe.decisions({ runId: fork.id })).items).toMatchObject([{ type: 'deny', by: 'auditor' }])
  const late = await troupe.fork('first', { at: 5 })
  await late.result
  expect((await troupe.decisions({ runId: late.id })).items).toEqual([])
  const waiting = await troupe.fork('second', { at: 3 })
  await until(waiting, 'suspended')
  await troupe.close()
  const stored = storedRuns({ store })
  await stored.cancel(waiting.id, 'Stuck.', { force: true, by: 'operator' })
  expect((await stored.decisions({ runId: waiting.id })).items).toMatchObject([
    { type: 'cancel', forced: true, reason: 'Stuck.', by: 'operator' },
  ])
  expect((await stored.history(waiting.id)).at(-1)).toMatchObject({ by: 'operator', reason: 'Stuck.' })
  await stored.close()
})

test.each([
  [{ resource: 'ann' }, /resource/],
  [{ before: 'r1' }, /before/],
  [{ before: 'd1.x' }, /before/],
  [{ from: 'today' }, /from/],
  [{ limit: 0 }, /limit/],
])('the filter %j is refused', async (filter, message) => {
  const { troupe } = await decided()
  await expect(troupe.decisions(filter as object)).rejects.toThrow(message)
  await troupe.close()
})

test('a run of an agent that makes no tool call answers to messages of people alone', async () => {
  const agent = createAgent({ id: 'silent', model: worker('x', ['Hello.']).model })
  const troupe = createTroupe({ agents: [agent] })
  await (
    await troupe.start(agent, 'Hi')
  ).result
  expect(await troupe.decisions()).toEqual({ items: [] })
  await troupe.close()
})
