/** A watch tells that a run is suspended once the inbox has its questions, also in another process than that of the run. */
import { createTroupe, memoryStore, StoreError, type Store } from 'troupe'
import { expect, test } from 'vitest'
import { cashier } from '../../support/agents/cashier.ts'

/** A process whose view of the questions is `seen`. */
function behind(store: Store) {
  const view: { seen: 'nothing' | 'all' | 'failure'; asked: number } = { seen: 'nothing', asked: 0 }
  const lagging: Store = Object.assign(Object.create(store) as Store, {
    list: async (...args: Parameters<Store['list']>) => {
      if (args[0] !== 'questions') return store.list(...args)
      view.asked++
      if (view.seen === 'failure') throw new StoreError('The disk is away.')
      return view.seen === 'all' ? store.list(...args) : { items: [] }
    },
  })
  return { view, lagging }
}

test.each(['nothing', 'failure'] as const)(
  'questions that are not listed yet are waited for: the inbox shows %s',
  async (before) => {
    const store = memoryStore()
    const agent = cashier()
    const here = createTroupe({ agents: [agent], store })
    const { view, lagging } = behind(store)
    view.seen = before
    const options = { agents: [agent], store: lagging, pollInterval: 5, onError: () => undefined }
    const there = createTroupe(options)
    const run = await here.start(agent, 'Pay back.')
    await run.whenIdle
    const types: string[] = []
    const read = (async () => {
      for await (const { type } of there.watch(run.id)) types.push(type)
    })()
    await expect.poll(() => view.asked).toBeGreaterThan(3)
    expect(types).toContain('tool-call')
    expect(types).not.toContain('suspended')
    view.seen = 'all'
    await expect.poll(() => types).toContain('suspended')
    const [question] = (await there.awaiting({ runId: run.id })).items
    await here.signal(run.id, { type: 'approve', toolCallId: question?.toolCallId ?? '' })
    await read
    expect(types.slice(types.indexOf('suspended'))).toContain('resumed')
    expect(types.at(-1)).toBe('run-finish')
    await Promise.all([here.close(), there.close()])
  },
)

test('a run that goes on before its questions are seen is told on', async () => {
  const store = memoryStore()
  const agent = cashier()
  const here = createTroupe({ agents: [agent], store })
  const { view, lagging } = behind(store)
  const there = createTroupe({ agents: [agent], store: lagging, pollInterval: 5 })
  const run = await here.start(agent, 'Pay back.')
  await run.whenIdle
  const types: string[] = []
  const read = (async () => {
    for await (const { type } of there.watch(run.id)) types.push(type)
  })()
  await expect.poll(() => view.asked).toBeGreaterThan(0)
  await run.cancel()
  await read
  expect(types.filter((type) => type === 'suspended' || type === 'resumed')).toEqual(['suspended', 'resumed'])
  expect(types.at(-1)).toBe('run-finish')
  await Promise.all([here.close(), there.close()])
})
