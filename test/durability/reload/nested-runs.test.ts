/** Behaviour 100: a run within a call goes with the call. */
import { createTool, createTroupe, memoryStore, type AnyAgent, type Store } from 'troupe'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { calls, worker } from '../../support/agents/agents.ts'
import { rejection } from '../../support/agents/model-calls.ts'

const inputSchema = z.object({})

/** One edition: an agent whose tool runs a helper, whose tool ends when the gate opens. */
function edition(gate: Promise<string>) {
  const begun: AbortSignal[] = []
  const asks: AbortSignal[] = []
  const look = createTool({
    id: 'look',
    description: 'Looks.',
    inputSchema,
    execute: (_input, { signal }) => {
      begun.push(signal)
      return gate
    },
  })
  const otherwise = (name: string, end: string) => ({
    otherwise: ({ messages }: { readonly messages: readonly { readonly role: string }[] }) =>
      messages.some(({ role }) => role === 'tool') ? end : calls({ name }),
  })
  const helper = worker('helper', [], { tools: { look }, ...otherwise('look', 'Helped.') }).agent
  const ask = createTool({
    id: 'ask',
    description: 'Asks.',
    inputSchema,
    execute: async (_input, { start, signal }) => {
      asks.push(signal)
      const result = await start(helper, 'Help')
      return result.outcome === 'completed' ? result.text : result.outcome
    },
  })
  const chief = worker('chief', [], { tools: { ask }, ...otherwise('ask', 'Done.') }).agent
  return { helper, chief, begun, asks }
}

function troupeOn(store: Store, agents: readonly AnyAgent[], hotReload = true) {
  return createTroupe({
    agents,
    store,
    hotReload,
    leaseTtl: 3_600_000,
    pollInterval: 5,
    onError: ({ message }) => expect.fail(message),
  })
}

async function nestedIn(store: Store, runId: string): Promise<string> {
  const { items } = await store.list('runs', { nestedIn: runId })
  return items[0]?.runId ?? ''
}

test('a run that a call of the older troupe follows stays, where the newer troupe has its agent alone', async () => {
  const store = memoryStore()
  const gate = Promise.withResolvers<string>()
  const a = edition(gate.promise)
  const older = troupeOn(store, [a.chief, a.helper])
  const run = await older.start(a.chief, 'Go')
  await expect.poll(() => a.begun.length).toBe(1)
  const nested = await nestedIn(store, run.id)
  const b = edition(gate.promise)
  const newer = troupeOn(store, [b.helper])
  const { runs, owned } = await newer.recover()
  expect([runs, owned.toSorted()]).toEqual([[], [run.id, nested].toSorted()])
  await expect(newer.resume(nested)).rejects.toMatchObject({ code: 'RUN_OWNED' })
  gate.resolve('seen')
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect([...a.begun, ...a.asks].map(({ aborted }) => aborted)).toEqual([false, false])
  expect(b.begun).toEqual([])
  await newer.close()
  await older.close()
})

test('the outer run is handed over, and its call in the newer troupe finds the run again', async () => {
  const store = memoryStore()
  const gate = Promise.withResolvers<string>()
  const a = edition(gate.promise)
  const older = troupeOn(store, [a.chief, a.helper])
  const run = await older.start(a.chief, 'Go')
  const lost = rejection(run.result)
  await expect.poll(() => a.begun.length).toBe(1)
  const b = edition(gate.promise)
  const newer = troupeOn(store, [b.chief, b.helper])
  const taken = await newer.resume(run.id)
  expect(await lost).toMatchObject({ code: 'LEASE_LOST' })
  await expect.poll(() => b.asks.length).toBe(1)
  gate.resolve('seen')
  expect(await taken.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect((await newer.runs({ nestedIn: run.id })).items).toMatchObject([{ outcome: 'completed' }])
  await newer.close()
  await older.close()
})

test('a run that a call begins to follow while it is to be released is not cut', async () => {
  const store = memoryStore()
  const gate = Promise.withResolvers<string>()
  const first = edition(gate.promise)
  const gone = troupeOn(store, [first.chief, first.helper], false)
  const run = await gone.start(first.chief, 'Go')
  const lost = rejection(run.result)
  await expect.poll(() => first.begun.length).toBe(1)
  await gone.close()
  await lost
  const nested = await nestedIn(store, run.id)

  const a = edition(gate.promise)
  const older = troupeOn(store, [a.chief, a.helper])
  await older.resume(nested) // no call follows it
  await expect.poll(() => a.begun.length).toBe(1)
  const b = edition(gate.promise)
  const newer = troupeOn(store, [b.helper])
  const refused = rejection(newer.resume(nested))
  const outer = await older.resume(run.id)
  expect(await refused).toMatchObject({ code: 'RUN_OWNED' })
  expect(a.begun.map(({ aborted }) => aborted)).toEqual([false])
  gate.resolve('seen')
  expect(await outer.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect([a.begun.length, b.begun.length]).toEqual([1, 0])
  await newer.close()
  await older.close()
})
