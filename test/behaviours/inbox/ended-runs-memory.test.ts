/** Ended runs leave memory: the handle when its caller drops it, the journal when the store or a retention deletes it. */
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createAgent, createTroupe, memoryStore, type ChatModel, type Run, type Troupe } from 'troupe'
import type { AnyActorRef } from 'xstate'
import { expect, test } from 'vitest'
import { createTroupeIn } from '../../../src/runtime/troupe/troupe.ts'
import { ManualClock } from '../../support/clocks/manual-clock.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as (options?: { readonly type: 'minor' }) => void

const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
/** It keeps no request, as the models of other tests do. */
const model: ChatModel = {
  provider: 'test',
  modelId: 'silent',
  generate: async () => ({ text: 'Seen.', toolCalls: [], finishReason: 'stop', usage }),
}
const agent = createAgent({ id: 'solo', instructions: 'Answer.', model })

/** Many times what a run without tools holds beside its prompt. */
const promptSize = 40_000
const runs = 100

async function endRuns(troupe: Troupe, number = runs): Promise<void> {
  for (let count = 0; count < number; count++) {
    const prompt = `${count} `.padEnd(promptSize, String(count))
    const { outcome } = await (await troupe.start(agent, prompt)).result
    expect(outcome).toBe('completed')
  }
}

/** A job that reads a weak reference keeps its target until it ends: each look has a job of its own. */
async function isCollected(ref: WeakRef<object>): Promise<boolean> {
  for (let turn = 0; turn < 20; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 2))
    collectGarbage()
    await new Promise((resolve) => setTimeout(resolve, 2))
    if (ref.deref() === undefined) return true
  }
  return false
}

/** What is used when nothing is left to collect. */
async function heap(): Promise<number> {
  for (let turn = 0; turn < 3; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 2))
    collectGarbage()
  }
  return process.memoryUsage().heapUsed
}

test('an ended run leaves memory with all its actors when its handle is dropped', async () => {
  const troupe = createTroupe({ agents: [agent], store: memoryStore() })
  const end = async (): Promise<{ handle: WeakRef<Run>; root: WeakRef<AnyActorRef>; result: unknown }> => {
    const run = await troupe.start(agent, 'Go')
    const result = await run.result
    return { handle: new WeakRef(run), root: new WeakRef(run.actor), result }
  }
  const { handle, root, result } = await end()
  expect(await isCollected(handle)).toBe(true)
  expect(await isCollected(root)).toBe(true)
  expect(result).toMatchObject({ text: 'Seen.' })
  await troupe.close()
})

/** What V8 has moved to its old objects, which only a full collection looks at. */
function oldSpace(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')?.space_used_size ?? 0
}

test('ended runs leave memory without a full collection', async () => {
  // The store of a troupe keeps the journals, and goes with it: few are there when V8 collects young objects by itself.
  const end = async (): Promise<void> => {
    const troupe = createTroupe({ agents: [agent] })
    await endRuns(troupe, 5)
    await troupe.close()
  }
  const endAll = async (): Promise<void> => {
    for (let count = 0; count < runs; count += 5) {
      await end()
      await new Promise(setImmediate) // no frame refers to the troupe any more
      for (let time = 0; time < 2; time++) collectGarbage({ type: 'minor' })
    }
  }
  await endAll() // code and its feedback are old objects too
  await heap()
  const before = oldSpace()
  for (let turn = 0; turn < 4; turn++) await endAll()
  expect(oldSpace() - before).toBeLessThan(2 * runs * promptSize)
})

test('ended runs leave a troupe that has many at once without a full collection', async () => {
  // V8 collects young objects while runs are in progress. A table that becomes old must not refer to them.
  const atOnce = 10
  let calls = 0
  const collecting: ChatModel = {
    ...model,
    generate(...given) {
      if (++calls % atOnce === 0) collectGarbage({ type: 'minor' })
      return model.generate(...given)
    },
  }
  const one = createAgent({ id: 'one', instructions: 'Answer.', model: collecting })
  const troupe = createTroupe({ agents: [one], store: memoryStore({ endedRuns: 1 }) })
  /** One run after the other, beside the others. */
  const endMany = async (): Promise<void> => {
    for (let count = 0; count < runs / atOnce; count++) {
      const { outcome } = await (await troupe.start(one, `Prompt ${count}`)).result
      expect(outcome).toBe('completed')
    }
  }
  const endAll = (): Promise<unknown> => Promise.all(Array.from({ length: atOnce }, endMany))
  await endAll()
  await heap()
  const before = oldSpace()
  for (let turn = 0; turn < 4; turn++) await endAll()
  // Of the 20 kB that each run takes while it is in progress.
  expect((oldSpace() - before) / (4 * runs)).toBeLessThan(8_000)
  await troupe.close()
})

test('the store in memory holds no text of a run that it has deleted', async () => {
  const troupe = createTroupe({ agents: [agent], store: memoryStore({ endedRuns: 1 }) })
  await endRuns(troupe)
  const before = await heap()
  await endRuns(troupe)
  expect((await heap()) - before).toBeLessThan((runs * promptSize) / 4)
  await troupe.close()
})

test('a retention gives back what ended runs held', async () => {
  const clock = new ManualClock()
  let ids = 0
  const environment = { clock, newId: () => `run-${++ids}` }
  const store = memoryStore()
  const troupe = createTroupeIn(environment, { agents: [agent], store, retention: { runs: { number: 1 } } })
  const turn = async (): Promise<void> => {
    clock.advance(1_000)
    await new Promise(setImmediate)
  }
  const pass = async (): Promise<void> => {
    while ((await store.list('runs', { limit: 2 })).items.length > 1) await turn()
    await turn() // the pass itself ends
  }
  await endRuns(troupe)
  const kept = await heap()
  await pass()
  const before = await heap()
  expect(kept - before).toBeGreaterThan((runs * promptSize) / 2)
  await endRuns(troupe)
  await pass()
  expect((await heap()) - before).toBeLessThan((runs * promptSize) / 4)
  await troupe.close()
})
