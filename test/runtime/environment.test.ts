/** A troupe takes time and ids from its environment alone, so that a simulation can stand in for it. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTool, memoryStore, type Store } from 'troupe'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createTroupeIn } from '../../src/runtime/troupe/troupe.ts'
import { calls, worker } from '../support/agents/agents.ts'
import { virtualEnvironment as environment } from '../support/clocks/virtual-environment.ts'

const runtime = join(import.meta.dirname, '../../src/runtime')
const fromOutside =
  /\b(Date\.now|new Date\(\)|setTimeout|setInterval|setImmediate|performance\.now|Math\.random|randomUUID|nanoid)\b/

test('no other file of the runtime asks the process for time, timers or ids', () => {
  const asking = readdirSync(runtime, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && fromOutside.test(readFileSync(join(runtime, file), 'utf8')),
  )
  expect(asking.toSorted()).toEqual([
    'clock.ts',
    'environment.ts',
    'journal/append-times.ts', // the time of appends in fractions of a millisecond: nothing is decided by it
  ])
})

function asking() {
  const inputSchema = z.object({})
  const ask = createTool({
    id: 'ask',
    description: 'Asks.',
    inputSchema,
    requireApproval: true,
    execute: () => 'yes',
  })
  return worker('solo', [calls({ name: 'ask' }), 'Done.'], { tools: { ask } }).agent
}

describe('by the clock and the ids of its environment', () => {
  test('a troupe names itself and its runs', async () => {
    const store = memoryStore()
    const { agent } = worker('solo', ['Hi.'])
    const troupe = createTroupeIn(environment(), { agents: [agent], store })
    const run = await troupe.start(agent, 'Go')
    await run.result
    expect(run.id).toBe('id1')
    expect((await troupe.fork(run.id, { at: 1 })).id).toBe('id3')
    expect((await troupe.journal(run.id)).map(({ at }) => at)).toEqual([1_000, 1_000, 1_000])
    expect((await store.claim(run.id, 'other', 30_999, 1))?.token).toBeUndefined()
    expect((await store.claim(run.id, 'id2', 0, 1))?.token).toBe(2)
  })

  test('a suspended run is passivated, and its handle follows it', async () => {
    const store = memoryStore()
    const [here, there] = [environment(), environment()]
    const agent = asking()
    const troupe = createTroupeIn(here, { agents: [agent], store, passivateAfter: 500, pollInterval: 700 })
    const run = await troupe.start(agent, 'Go')
    await run.whenIdle
    const { result } = run
    here.clock.advance(499)
    expect((await troupe.runs()).items[0]?.isPassivated).toBeUndefined()
    here.clock.advance(1)
    expect((await troupe.runs()).items[0]?.isPassivated).toBe(true)

    const other = createTroupeIn(there, { agents: [asking()], store })
    await other.cancel(run.id, 'enough')
    here.clock.advance(700)
    expect(await result).toMatchObject({ outcome: 'cancelled', reason: 'enough' })
  })

  test('a run whose owner is gone is recovered when its lease has run out, and not before', async () => {
    const store = memoryStore()
    const dead = asking()
    const run = await createTroupeIn(environment(), { agents: [dead], store, leaseTtl: 1_000 }).start(
      dead,
      'Go',
    )
    await run.whenIdle

    const here = environment()
    const agent = asking()
    const claims: (number | undefined)[] = []
    const watched: Store = {
      ...store,
      claim: async (...args) => {
        const lease = await store.claim(...args)
        claims.push(lease?.token)
        return lease
      },
    }
    const troupe = createTroupeIn({ ...here, newId: () => 'another' }, { agents: [agent], store: watched })
    const recovering = troupe.recover({ every: 400 })
    for (const claimed of [[], [undefined], [undefined, undefined]]) {
      expect(claims).toEqual(claimed)
      await here.clock.armed(2) // the next look, and the turn that this one waits for
      here.clock.advance(0)
      await expect.poll(() => claims.length).toBe(claimed.length + 1)
      here.clock.advance(400)
    }
    expect(await recovering).toEqual({ runs: [], owned: [run.id], refused: [], left: [] })
    await here.clock.armed(2)
    here.clock.advance(0)
    await expect.poll(() => claims).toEqual([undefined, undefined, undefined, 2])
    await troupe.close()
  })
})
