import { expect, test } from 'vitest'
import { createTool, createTroupe, memoryStore, type Store } from 'troupe'
import { z } from 'zod'
import { allEvents, calls, lead, to, worker } from '../../support/agents/agents.ts'
import { rejection } from '../../support/agents/model-calls.ts'

test('a late outcome that cannot be written changes nothing of a run whose end is on record', async () => {
  const finish = Promise.withResolvers<string>()
  const refused = Promise.withResolvers<void>()
  const started = Promise.withResolvers<void>()
  const slow = createTool({
    id: 'slow',
    description: 'Takes long.',
    inputSchema: z.object({}),
    execute: () => {
      started.resolve()
      return finish.promise
    },
  })
  const memory = memoryStore()
  const store: Store = {
    ...memory,
    append(appends) {
      if (appends.some(({ entry }) => entry?.type === 'effect.settled' && entry.late === true)) {
        refused.resolve()
        throw new Error('disk full')
      }
      return memory.append(appends)
    },
  }
  const quick = worker('quick', [{ text: 'The answer.', until: started.promise }])
  const { agent } = lead('lead', [calls({ name: 'slow' }, to('quick', 'Go.'))], {
    agents: { quick: quick.agent },
    tools: { slow },
    delegation: { onDelegationComplete: ({ bail }) => bail() },
  })
  const run = await createTroupe({ agents: [agent], store }).start(agent, 'Go')
  const result = await run.result
  expect(result).toMatchObject({ outcome: 'bailed', text: 'The answer.' })

  finish.resolve('too late')
  await refused.promise
  await Promise.resolve()
  expect((await allEvents(run)).filter((event) => event.type === 'run-finish')).toHaveLength(1)
  expect(await run.result).toBe(result)
  expect(await run.whenIdle).toBe(result)
  // The end is on record: a cancel is none any more, and no question is open.
  expect(await run.cancel('Enough.')).toBeUndefined()
  expect(await rejection(run.approve('lead/call:1.1'))).toMatchObject({ code: 'UNKNOWN_SIGNAL' })
})

test('an error that comes after the end is on record, and in no result of the run, wherever it is read', async () => {
  const finish = Promise.withResolvers<string>()
  const started = Promise.withResolvers<void>()
  const slow = createTool({
    id: 'slow',
    description: 'Takes long.',
    inputSchema: z.object({}),
    execute: () => {
      started.resolve()
      return finish.promise
    },
  })
  const quick = worker('quick', [{ text: 'The answer.', until: started.promise }])
  const { agent } = lead('lead', [calls({ name: 'slow' }, to('quick', 'Go.'))], {
    agents: { quick: quick.agent },
    tools: { slow },
    delegation: { onDelegationComplete: ({ bail }) => bail() },
  })
  const store = memoryStore()
  const troupe = createTroupe({ agents: [agent], store, onError: () => undefined })
  const run = await troupe.start(agent, 'Go')
  const result = await run.result
  finish.reject(new Error('too late'))
  await expect.poll(async () => (await store.read(run.id))?.at(-1)).toMatchObject({ late: true })
  expect(result).toMatchObject({ outcome: 'bailed', errors: [] })
  const other = createTroupe({ agents: [agent], store })
  expect(await (await other.resume(run.id)).result).toEqual(result)
  expect((await other.replay(run.id)).result).toEqual(result)
})
