/** To forget the key of a resource is to erase it: what it had is refused, and keeps nobody else from work. */
import { createAgent, createTool, createTroupe, memoryStore, type Problem, type Troupe } from 'troupe'
import { aesCodec, sealedStore } from 'troupe/sealed'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { secretOf } from '../support/sealing.ts'
import { Vault } from './vault.ts'

const pay = createTool({
  id: 'pay',
  description: 'Pays.',
  inputSchema: z.object({}),
  requireApproval: true,
  execute: () => 'paid',
})

/** Pays once, and then answers. */
const agent = createAgent({
  id: 'payer',
  memory: true,
  tools: { pay },
  model: {
    provider: 'test',
    modelId: 'payer',
    async generate({ messages }) {
      const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
      if (messages.some(({ role }) => role === 'tool'))
        return { text: 'done', toolCalls: [], finishReason: 'stop', usage }
      return { text: '', toolCalls: [{ id: 'c', name: 'pay', args: {} }], finishReason: 'tool-calls', usage }
    },
  },
})

function desk() {
  const vault = new Vault()
  const inner = memoryStore()
  const problems: Problem[] = []
  const open = (): Troupe => {
    const store = sealedStore(inner, {
      codec: aesCodec({ keys: vault, keepKeys: 0 }),
      names: secretOf(9),
      onError: (problem) => problems.push(problem),
    })
    const troupe = createTroupe({ agents: [agent], store, onError: (problem) => problems.push(problem) })
    onTestFinished(() => troupe.close())
    return troupe
  }
  return { vault, inner, open, problems }
}

async function waiting(troupe: Troupe, resourceId: string): Promise<string> {
  const run = await troupe.start(agent, `Pay for ${resourceId}.`, {
    resourceId,
    threadId: `thread-of-${resourceId}`,
  })
  expect((await run.whenIdle).outcome).toBe('suspended')
  return run.id
}

const missing = { name: 'StoreError', code: 'SEAL_KEY_MISSING' }

describe('a run whose key was forgotten', () => {
  test('is listed and found by its resource, without its questions', async () => {
    const { vault, open, problems } = desk()
    const troupe = open()
    const [ann, bob] = [await waiting(troupe, 'ann'), await waiting(troupe, 'bob')]
    vault.forget('ann')
    const { items } = await troupe.runs({ resourceId: 'ann' })
    expect(items).toMatchObject([{ runId: ann, resourceId: 'ann', status: 'suspended', awaiting: [] }])
    expect((await troupe.awaiting()).items.map(({ runId }) => runId)).toEqual([bob])
    expect(problems[0]).toMatchObject({ where: 'store', runId: ann, error: missing })
  })

  test('is refused with a stable code, wherever it is read', async () => {
    const { vault, open } = desk()
    const troupe = open()
    const ann = await waiting(troupe, 'ann')
    await troupe.memory.setWorkingMemory('ann', 'Likes tea.')
    await troupe.memory.save('thread-of-ann', [{ id: 'm', role: 'user', content: 'Hi', at: 1 }], 'ann')
    await troupe.close()
    vault.forget('ann')
    const again = open()
    await expect(again.journal(ann)).rejects.toMatchObject(missing)
    await expect(again.replay(ann)).rejects.toMatchObject(missing)
    await expect(again.resume(ann)).rejects.toMatchObject(missing)
    await expect(again.fork(ann, { at: 2 })).rejects.toMatchObject(missing)
    await expect(again.memory.workingMemory('ann')).rejects.toMatchObject(missing)
    await expect(again.memory.messages('thread-of-ann')).rejects.toMatchObject(missing)
    expect(await again.memory.threads({ resourceId: 'ann' })).toMatchObject([{ id: 'thread-of-ann' }])
  })

  test('has no decisions, and hides those of no other', async () => {
    const { vault, open } = desk()
    const troupe = open()
    const [ann, bob] = [await waiting(troupe, 'ann'), await waiting(troupe, 'bob')]
    for (const runId of [ann, bob]) {
      const [question] = (await troupe.awaiting({ runId })).items
      await troupe.signal(runId, { type: 'approve', toolCallId: question?.toolCallId ?? '', by: 'chief' })
      await (
        await troupe.resume(runId)
      ).result
    }
    expect((await troupe.decisions()).items).toHaveLength(2)
    vault.forget('ann')
    expect((await troupe.decisions()).items).toMatchObject([{ runId: bob, by: 'chief', toolName: 'pay' }])
  })

  test('keeps no other from its recovery', async () => {
    const { vault, open } = desk()
    const first = open()
    const [ann, bob] = [await waiting(first, 'ann'), await waiting(first, 'bob')]
    await first.close()
    vault.forget('ann')
    const troupe = open()
    await troupe.recover()
    const [question] = (await troupe.awaiting()).items
    await troupe.signal(bob, { type: 'approve', toolCallId: question?.toolCallId ?? '' })
    expect((await (await troupe.resume(bob)).result).text).toBe('done')
    await expect(troupe.resume(ann)).rejects.toMatchObject(missing)
  })

  test('is refused by a recovery that would go on with it, which goes on with all others', async () => {
    const { vault, open, inner } = desk()
    const first = open()
    const [ann, bob] = [await waiting(first, 'ann'), await waiting(first, 'bob')]
    await first.close()
    vault.forget('ann')
    // As if their processes had died: nothing says that they wait.
    for (const runId of [ann, bob]) {
      const lease = await inner.claim(runId, 'dead', Date.now(), Date.now() - 1)
      expect(lease).toBeDefined()
    }
    const troupe = open()
    const { runs, refused } = await troupe.recover()
    expect(runs.map(({ id }) => id)).toEqual([bob])
    expect(refused).toMatchObject([{ runId: ann, error: { code: 'SEAL_KEY_MISSING' } }])
  })

  test('can be ended by force, and deleted', async () => {
    const { vault, open } = desk()
    const first = open()
    const [ann, other] = [await waiting(first, 'ann'), await waiting(first, 'ann')]
    await first.close()
    vault.forget('ann')
    const troupe = open()
    await troupe.cancel(ann, 'forgotten', { force: true })
    await troupe.cancel(ann, 'forgotten', { force: true })
    expect((await troupe.runs({ runId: ann })).items).toMatchObject([
      { status: 'settled', outcome: 'cancelled' },
    ])
    await troupe.delete(ann)
    await troupe.delete(other, { force: true })
    expect((await troupe.runs()).items).toEqual([])
    await troupe.memory.deleteThread('thread-of-ann')
    expect(await troupe.memory.threads()).toEqual([])
  })

  test('that is under way stops with its code, and no other run of the troupe does', async () => {
    const { vault, open } = desk()
    const troupe = open()
    const runs = await Promise.all(
      ['ann', 'bob', 'cleo'].map((resourceId) => troupe.start(agent, 'Pay.', { resourceId })),
    )
    const idle = await Promise.all(runs.map((run) => run.whenIdle))
    vault.forget('bob')
    const results = await Promise.allSettled(
      runs.map(async (run, index) => {
        const at = idle[index]
        await run.approve(at?.outcome === 'suspended' ? (at.awaiting[0]?.toolCallId ?? '') : '')
        return (await run.result).text
      }),
    )
    expect(results).toMatchObject([
      { status: 'fulfilled', value: 'done' },
      { status: 'rejected', reason: missing },
      { status: 'fulfilled', value: 'done' },
    ])
  })
})
