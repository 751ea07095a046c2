/** Payloads that are sealed before Restate has them: no content is clear in the tables of the server, and all works as before. */
import { memoryStore, type Store } from 'troupe'
import { restateSealing, type SealCodec } from 'troupe/sealed'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ids, mark, markedAgents, marksIn } from '../sealed/marked-work.ts'
import { worker } from '../support/agents/agents.ts'
import { sealed, sealing } from '../support/sealing.ts'
import { Desk } from './crashes/desk.ts'

let desk: Desk

beforeAll(async () => {
  desk = await Desk.open()
})

afterAll(() => desk[Symbol.asyncDispose]())

const payloads = restateSealing(sealing)

/** What Restate's own index has of the payloads. */
const tables = ['state', 'sys_journal', 'sys_invocation', 'sys_promise', 'sys_journal_events']

async function marksOfServer(): Promise<number> {
  const rows = await Promise.all(tables.map((table) => desk.rows(`SELECT * FROM ${table}`)))
  expect(rows[0]?.length).toBeGreaterThan(0)
  return rows.reduce((sum, found) => sum + marksIn(JSON.stringify(found)), 0)
}

test('a run with subagents, questions and answers leaves no mark, and is listed and read as before', async () => {
  const { lead } = markedAgents()
  const store: Store = sealed(memoryStore())
  // A workflow that waits is suspended at once: it is replayed with each answer.
  await desk.serve({ agents: [lead], namespace: 'sealed', store, sealing: payloads, inactivityTimeout: 1 })
  const troupe = desk.client(lead, 'sealed', { store, sealing: payloads })
  const run = await troupe.start(lead, `${mark}-prompt`, { ...ids, context: { secret: `${mark}-context` } })
  await run.whenIdle
  expect(await marksOfServer()).toBe(0)
  const { items: questions } = await troupe.awaiting({ resourceId: ids.resourceId })
  expect(questions.map(({ toolName }) => toolName).toSorted()).toEqual(['ask', 'pay'])
  expect((await troupe.runs({ threadId: ids.threadId })).items).toMatchObject([{ runId: run.id, ...ids }])
  for (const { toolCallId, toolName } of questions) {
    if (toolName === 'pay') await run.approve(toolCallId, { note: `${mark}-note` })
    else await run.resume(toolCallId, { yes: `${mark}-data` })
  }
  expect((await run.result).text).toBe(`${mark}-answer`)
  const [listed] = (await troupe.runs({ resourceId: ids.resourceId })).items
  expect(listed).toMatchObject({ runId: run.id, outcome: 'completed', ...ids })
  expect(listed?.usage?.totalTokens).toBeGreaterThan(0)
  expect(JSON.stringify(await troupe.journal(run.id))).toContain(`${mark}-context`)
  expect(await marksOfServer()).toBe(0)
})

test('a client without the sealing reads nothing, and the same work unsealed leaves marks', async () => {
  const { lead } = markedAgents()
  const stranger = desk.client(lead, 'sealed')
  const [known] = (await stranger.runs()).items
  expect(known?.resourceId).not.toContain(mark)
  await expect(stranger.journal(known?.runId ?? '')).rejects.toBeInstanceOf(Error)
  const { agent } = worker('clear', ['Hi.'])
  const troupe = await desk.troupe(agent)
  await (
    await troupe.start(agent, `${mark}-prompt`)
  ).result
  expect(await marksOfServer()).toBeGreaterThan(2)
})

test('a codec that seals later is refused', () => {
  const later: SealCodec = { seal: async (bytes) => bytes, open: (bytes) => bytes }
  const { seal } = restateSealing({ ...sealing, codec: later })
  expect(() => seal(Uint8Array.of(1))).toThrow('must seal at once')
})
