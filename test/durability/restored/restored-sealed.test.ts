/** A sealed store on a SQLite file: its backup goes on from a new epoch too, and its runs ask. */
import { createAgent, createTool, createTroupe, type Troupe } from 'troupe'
import { aesCodec, sealedStore } from 'troupe/sealed'
import { sqliteStore, type SqliteStore } from 'troupe/sqlite'
import { scriptedModel } from 'troupe/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { calls } from '../../support/agents/agents.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const bytes = new Uint8Array(32).fill(7)

function troupeOn(store: SqliteStore, paid: string[]) {
  const pay = createTool({
    id: 'pay',
    description: 'Pays.',
    inputSchema: z.object({ order: z.string() }),
    requireApproval: true,
    execute: ({ order }) => {
      paid.push(order)
      return 'paid'
    },
  })
  const agent = createAgent({
    id: 'desk',
    instructions: '',
    model: scriptedModel([], {
      otherwise: ({ messages }) =>
        messages.some(({ role }) => role === 'tool') ? 'Done.' : calls({ name: 'pay', args: { order: 'a' } }),
    }),
    tools: { pay },
  })
  const sealed = sealedStore(store, { codec: aesCodec({ keys: [{ id: 'a', bytes }] }), names: bytes })
  return { agent, troupe: createTroupe({ agents: [agent], store: sealed, passivateAfter: 0 }) }
}

async function asked(troupe: Troupe, type: 'approval' | 'interruption') {
  for (let tries = 0; tries < 2_000; tries++) {
    const found = (await troupe.awaiting()).items.find((question) => question.type === type)
    if (found !== undefined) return found
    await new Promise((resolve) => void setTimeout(resolve, 1))
  }
  throw new Error('Nobody was asked.')
}

test('a backup of the store inside tells the sealed store', async () => {
  using folder = temporaryFolder()
  const inside = sqliteStore(folder.file('live.db'))
  const paid: string[] = []
  const { agent, troupe } = troupeOn(inside, paid)
  const run = await troupe.start(agent, 'Pay.', { resourceId: 'ann' })
  const { toolCallId } = await asked(troupe, 'approval')
  for (let tries = 0; tries < 2_000 && (await troupe.runs()).items[0]?.isPassivated !== true; tries++) {
    await new Promise((resolve) => void setTimeout(resolve, 1))
  }
  await inside.backup(folder.file('backup.db'))
  await troupe.signal(run.id, { type: 'approve', toolCallId })
  expect((await (await troupe.resume(run.id)).result).outcome).toBe('completed')
  await troupe.close()
  await inside.close()
  const copy = sqliteStore(folder.file('backup.db'))
  const again = troupeOn(copy, paid).troupe
  await again.recover()
  await again.signal(run.id, { type: 'approve', toolCallId })
  const doubt = await asked(again, 'interruption')
  expect(doubt.restored).toBe(true)
  expect(paid).toEqual(['a'])
  await again.signal(run.id, {
    type: 'resume',
    toolCallId: doubt.toolCallId,
    data: { result: 'paid before' },
  })
  expect((await (await again.resume(run.id)).result).outcome).toBe('completed')
  expect(paid).toEqual(['a'])
  await again.close()
  await copy.close()
})
