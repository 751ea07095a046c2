/** A prompt whose files are not stored: its run does not begin, and nothing is left of it. */
import { createTroupe, file, memoryStore, type BlobStorage, type Problem, type Store } from 'troupe'
import { describe, expect, test } from 'vitest'
import { sha256 } from '../../../src/actors/values/sha256.ts'
import { worker } from '../../support/agents/agents.ts'
import { ManualClock } from '../../support/clocks/manual-clock.ts'
import { chart, prompt, ref } from './pictures.ts'

function blobsIn({ blobs }: Store): Required<BlobStorage> {
  if (blobs === undefined) throw new Error('the store has blobs')
  return blobs as Required<BlobStorage>
}

describe('the files of a prompt', () => {
  test('a storage that does not answer within hookTimeout ends the start', async () => {
    const store = memoryStore()
    const other = Uint8Array.of(9)
    const late = Promise.withResolvers<void>()
    const slow: Store = {
      ...store,
      blobs: {
        ...blobsIn(store),
        async put(given, content, holder) {
          if (given === ref) await late.promise
          return blobsIn(store).put(given, content, holder)
        },
      },
    }
    const { agent, model } = worker('eye', [], { otherwise: 'Done.', hookTimeout: 500 })
    const clock = new ManualClock()
    const troupe = createTroupe({ agents: [agent], store: slow, clock })
    const starting = troupe.start(
      agent,
      prompt('See', file(other, 'image/png'), chart, file(other, 'image/gif')),
    )
    const settled = Promise.allSettled([starting])
    await new Promise(setImmediate)
    expect(await blobsIn(store).get(sha256(other))).toEqual(other)
    clock.advance(499)
    await new Promise(setImmediate)
    expect(await blobsIn(store).get(sha256(other))).toEqual(other)
    clock.advance(1)
    expect((await settled)[0]).toMatchObject({
      status: 'rejected',
      reason: {
        name: 'TroupeError',
        code: 'HOOK_TIMEOUT',
        runId: expect.any(String),
        message: expect.stringContaining('did not begin'),
      },
    })
    await new Promise(setImmediate)
    expect(await blobsIn(store).get(sha256(other))).toBeUndefined()
    late.resolve()
    await new Promise(setImmediate)
    expect(await blobsIn(store).get(ref)).toBeUndefined()
    expect((await troupe.runs()).items).toEqual([])
    expect(model.calls).toHaveLength(0)
    await troupe.close()
  })

  test('are removed where one of them is not stored; a failure of the removal is reported', async () => {
    const store = memoryStore()
    const other = Uint8Array.of(9)
    const problems: Problem[] = []
    let mayRelease = true
    const broken: Store = {
      ...store,
      blobs: {
        ...blobsIn(store),
        put: (given, content, holder) =>
          given === ref ? Promise.reject(new Error('no room')) : blobsIn(store).put(given, content, holder),
        release: (holder) =>
          mayRelease ? blobsIn(store).release(holder) : Promise.reject(new Error('away')),
      },
    }
    const { agent } = worker('eye', [])
    const onError = (problem: Problem) => void problems.push(problem)
    const troupe = createTroupe({ agents: [agent], store: broken, onError })
    await expect(troupe.start(agent, prompt('See', file(other, 'image/png'), chart))).rejects.toThrow(
      'no room',
    )
    await new Promise(setImmediate)
    expect(await blobsIn(store).get(sha256(other))).toBeUndefined()
    mayRelease = false
    await expect(troupe.start(agent, prompt('See', chart))).rejects.toThrow('no room')
    await new Promise(setImmediate)
    expect(problems).toMatchObject([
      { where: 'store', error: { message: 'away' }, runId: expect.any(String) },
    ])
  })
})
