/** The store of example 42, which keeps journals in the storage of a browser. */
import { createTroupe } from 'troupe'
import { storeContract } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { keptStore } from '../../examples/42-react-app/app/kept.ts'
import { PageStorage } from '../../examples/42-react-app/page-storage.ts'
import { deskAgent, toolCallId } from '../http/support/desk.ts'

describe('the contract of stores', () => {
  const open = async () => ({ store: await keptStore(new PageStorage()) })
  test.each(storeContract({ open }))('$name', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined()
  })
})

test('the next page has the runs of the one before, goes on with them, and may delete them', async () => {
  const storage = new PageStorage()
  const agent = deskAgent()
  const first = createTroupe({ agents: [agent], store: await keptStore(storage) })
  const { id, whenIdle } = await first.start(agent, 'Go')
  await whenIdle
  const journal = await first.journal(id)
  await first.close()

  const store = await keptStore(storage)
  expect(await store.read(id)).toEqual(journal)
  const second = createTroupe({ agents: [agent], store })
  expect((await second.awaiting()).items).toMatchObject([{ runId: id, toolCallId }])
  const run = await second.resume(id)
  await run.approve(toolCallId)
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Paid.' })
  const whole = await second.journal(id)
  await second.close()

  const third = await keptStore(storage)
  expect(await third.read(id)).toEqual(whole)
  expect(await third.delete(id)).toBe('deleted')
  expect(storage.length).toBe(0)
})

test('where the storage is full, nothing of an append is kept', async () => {
  const storage = new PageStorage()
  const whole = new PageStorage()
  const agent = deskAgent()
  const troupe = createTroupe({ agents: [agent], store: await keptStore(whole) })
  const { id } = await troupe.start(agent, 'Go')
  await troupe.cancel(id)
  await expect.poll(async () => (await troupe.runs()).items).toMatchObject([{ status: 'settled' }])
  const [started, ...rest] = await troupe.journal(id)
  await troupe.close()

  const store = await keptStore(storage)
  const lease = { runId: id, owner: 'me', token: 1, expiresAt: 1 }
  if (started === undefined) throw new Error('The journal is empty.')
  await store.append([{ runId: id, entry: started, lease }])
  const { setItem } = storage
  storage.setItem = (key, value) => {
    if (storage.length === 2) throw new Error('The quota has been exceeded.')
    setItem.call(storage, key, value)
  }
  const appends = rest.map((entry) => ({ runId: id, entry, lease }))
  expect(appends.length).toBeGreaterThan(1)
  await expect(store.append(appends)).rejects.toThrow('quota')
  expect(storage.length).toBe(1)
  expect(await store.read(id)).toEqual([started])
})
