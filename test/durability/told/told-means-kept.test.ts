/** BEHAVIOUR 44 with real kills: a signal whose promise has resolved is on record in the file, in both modes. */
import { createAgent, createTool, createTroupe, type AnyAgent } from 'troupe'
import { sqliteStore, type SqliteStoreOptions } from 'troupe/sqlite'
import { scriptedModel } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { runProgram } from '../../support/processes/run-program.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { z } from 'zod'

const callId = 'solo/call:1.1'

/** Two troupes in one process: the owner of the run, and another, whose queue the owner has not polled. */
const program = (act: string, synchronous: string) => `
  import { createAgent, createTool, createTroupe } from 'troupe'
  import { sqliteStore } from 'troupe/sqlite'
  import { scriptedModel } from 'troupe/testing'
  import { z } from 'zod'
  const inputSchema = z.object({})
  const remove = createTool({ id: 'remove', description: 'x', inputSchema, requireApproval: true, execute: () => 1 })
  const ask = createTool({ id: 'ask', description: 'x', inputSchema, execute: (_, { suspend, resumeData }) => resumeData ?? suspend() })
  const model = scriptedModel([{ toolCalls: [{ name: process.argv[2], args: {} }] }, { hang: true }])
  const agent = createAgent({ id: 'solo', instructions: 'x', model, tools: { remove, ask } })
  const open = () => createTroupe({
    agents: [agent], store: sqliteStore(process.argv[1], { synchronous: '${synchronous}' }), pollInterval: 600_000, passivateAfter: Infinity,
  })
  const troupe = open()
  const other = open()
  const run = await troupe.start(agent, 'Go')
  await run.whenIdle
  process.stdout.write(run.id)
  await ${act}
  process.kill(process.pid, 'SIGKILL')
`

/** The same agent in this process. */
function successor(): AnyAgent {
  const inputSchema = z.object({})
  const remove = createTool({
    id: 'remove',
    description: 'x',
    inputSchema,
    requireApproval: true,
    execute: () => 1,
  })
  const ask = createTool({ id: 'ask', description: 'x', inputSchema, execute: () => 1 })
  const model = scriptedModel([{ hang: true }])
  return createAgent({ id: 'solo', instructions: 'x', model, tools: { remove, ask } })
}

const acts = [
  ['approve', 'remove', `run.approve('${callId}', { by: 'ann' })`, { type: 'answer', by: 'ann' }],
  ['deny', 'remove', `run.deny('${callId}', 'No.')`, { type: 'answer', answer: { approved: false } }],
  ['resume', 'ask', `run.resume('${callId}', 7)`, { type: 'answer', answer: { approved: true, data: 7 } }],
  ['cancel', 'remove', `run.cancel('Enough.')`, { type: 'cancel', reason: 'Enough.' }],
] as const

describe.each(['full', 'normal'] as const)(
  'synchronous: %s, killed the moment after it resolved',
  (synchronous) => {
    const options: SqliteStoreOptions = { synchronous }

    test.each(acts)('run.%s', async (_, tool, act, signal) => {
      using folder = temporaryFolder()
      const file = folder.file('runs.db')
      const ended = await runProgram(program(act, synchronous), { args: [file, tool] })
      expect(ended).toMatchObject({ signal: 'SIGKILL', stderr: '' })
      const store = sqliteStore(file, options)
      const journal = (await store.read(ended.stdout)) ?? []
      expect(journal.filter(({ type }) => type === 'signal.received')).toMatchObject([{ signal }])
      await store.close()
    })

    test.each([
      ['an answer', `{ type: 'deny', toolCallId: '${callId}', by: 'ann' }`, { type: 'answer', by: 'ann' }],
      ['a cancel', `{ type: 'cancel', reason: 'Enough.' }`, { type: 'cancel', reason: 'Enough.' }],
    ])('%s by troupe.signal from another troupe', async (_, signal, recorded) => {
      using folder = temporaryFolder()
      const file = folder.file('runs.db')
      const ended = await runProgram(program(`other.signal(run.id, ${signal})`, synchronous), {
        args: [file, 'remove'],
      })
      expect(ended).toMatchObject({ signal: 'SIGKILL', stderr: '' })
      const store = sqliteStore(file, options)
      expect((await store.list('signals', { runIds: [ended.stdout] })).items).toHaveLength(1)
      // It stands when the run goes on, whoever goes on with it.
      const lease = await store.claim(ended.stdout, 'nobody', Number.MAX_SAFE_INTEGER, 0)
      expect(lease).toBeDefined()
      const troupe = createTroupe({ agents: [successor()], store, pollInterval: 5 })
      await troupe.recover()
      const received = async () =>
        ((await store.read(ended.stdout)) ?? []).filter(({ type }) => type === 'signal.received')
      await expect.poll(received).toMatchObject([{ signal: recorded }])
      await troupe.close()
      await store.close()
    })
  },
)
