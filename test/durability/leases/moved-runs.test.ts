/** A run moves to another troupe: the handle with which it began, and what its caller says, come to an end all the same. */
import { createTroupe, JournalMismatchError, type Run, type Store, type Troupe } from 'troupe'
import { expect, test } from 'vitest'
import { calls, shown, worker } from '../../support/agents/agents.ts'
import { guarded } from '../../support/agents/guarded.ts'
import { silentStore } from '../silent-store.ts'

const tools = { guarded }
const asks = calls({ name: 'guarded', args: {} })

/** It looks at the store again and again, and forgets runs that wait. */
const looking = { pollInterval: 5, passivateAfter: 0 }
/** It keeps its runs, and looks at the store as good as never. */
const keeping = { pollInterval: 2 ** 30, passivateAfter: Infinity }

/** Takes a run that waits, as soon as its troupe has released it. */
async function taken(troupe: Troupe, runId: string): Promise<Run> {
  let run: Run | undefined
  await expect
    .poll(async () => {
      run = await troupe.resume(runId).catch(() => undefined)
      return run
    })
    .toBeDefined()
  return run as Run
}

/** Resolves when so many signals are queued for the run. */
async function queued(store: Store, runId: string, count: number): Promise<void> {
  await expect.poll(async () => (await store.list('signals', { runIds: [runId] })).items.length).toBe(count)
}

test('a journal that does not fit here ends the handle of its run, and keeps that of no other from its result', async () => {
  const store = silentStore()
  const changed = worker('changed', [asks], { tools }).agent
  const plain = worker('plain', [asks], { tools }).agent
  /** As the first process reads it: the end of one run is not that to which its entries lead. */
  const read: Store['read'] = async (runId, from) =>
    (await store.read(runId, from))?.map((entry) =>
      entry.type === 'run.settled' && runId === runs[0]?.id ? { ...entry, text: 'Otherwise.' } : entry,
    )
  const here = createTroupe({ agents: [changed, plain], store: { ...store, read }, ...looking })
  const there = createTroupe({
    agents: [worker('changed', ['Done.'], { tools }).agent, worker('plain', ['Done.'], { tools }).agent],
    store,
    ...keeping,
  })
  const runs: Run[] = [await here.start(changed, 'Go'), await here.start(plain, 'Go')]
  const results = Promise.allSettled(runs.map(({ result }) => result))
  for (const [index, { id }] of runs.entries()) {
    const run = await taken(there, id)
    await run.approve(`${index === 0 ? 'changed' : 'plain'}/call:1.1`)
    expect((await run.result).outcome).toBe('completed')
  }
  expect(await results).toMatchObject([
    { status: 'rejected', reason: expect.any(JournalMismatchError) },
    { status: 'fulfilled', value: { outcome: 'completed', text: 'Done.' } },
  ])
  await Promise.all([here.close(), there.close()])
})

test('an edit in another process keeps no handle here from its result', async () => {
  const store = silentStore()
  const changed = worker('changed', [asks], { tools }).agent
  const plain = worker('plain', [asks], { tools }).agent
  const here = createTroupe({ agents: [changed, plain], store, ...looking })
  const there = createTroupe({
    agents: [
      worker('changed', ['Done.'], { tools, onFinish: () => undefined }).agent,
      worker('plain', ['Done.'], { tools }).agent,
    ],
    store,
    ...keeping,
  })
  const runs = [await here.start(changed, 'Go'), await here.start(plain, 'Go')]
  const results = Promise.allSettled(runs.map(({ result }) => result))
  for (const [index, { id }] of runs.entries()) {
    const run = await taken(there, id)
    await run.approve(`${index === 0 ? 'changed' : 'plain'}/call:1.1`)
    expect((await run.result).outcome).toBe('completed')
  }
  expect(await results).toMatchObject([
    { status: 'fulfilled', value: { outcome: 'completed', text: 'Done.' } },
    { status: 'fulfilled', value: { outcome: 'completed', text: 'Done.' } },
  ])
  await Promise.all([here.close(), there.close()])
})

test('a message that its owner has not looked at when the run ends is refused, and the first handle has the result', async () => {
  const store = silentStore()
  const { agent } = worker('solo', [asks], { tools })
  const here = createTroupe({ agents: [agent], store, ...looking })
  const there = createTroupe({ agents: [worker('solo', ['Done.'], { tools }).agent], store, ...keeping })
  const first = await here.start(agent, 'Go')
  const { result } = first
  const run = await taken(there, first.id)
  const saying = first.say('Be brief.')
  await queued(store, run.id, 1)
  await run.approve('solo/call:1.1')
  await run.result
  await expect(saying).rejects.toMatchObject({ code: 'SIGNAL_TOO_LATE' })
  expect(await result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  await queued(store, run.id, 0)
  await Promise.all([here.close(), there.close()])
})

test('a message whose owner has gone is taken where it was said', async () => {
  const store = silentStore()
  const { agent, model } = worker('solo', [asks, 'Done.'], { tools })
  const here = createTroupe({ agents: [agent], store, ...looking })
  const there = createTroupe({ agents: [worker('solo', [], { tools }).agent], store, ...keeping })
  const first = await here.start(agent, 'Go')
  await taken(there, first.id)
  const saying = first.say('Be brief.')
  await queued(store, first.id, 1)
  await there.close()
  await saying
  await first.approve('solo/call:1.1')
  expect((await first.result).outcome).toBe('completed')
  expect(shown(model, 2).at(-1)).toMatchObject({ role: 'user', content: 'Be brief.', internal: 'said' })
  await here.close()
})
