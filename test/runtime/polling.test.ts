/** Polls of the store do not overlap, however slowly it answers. */
import { memoryStore, type QueuedSignal, type Page, type RunSummary, type Store } from 'troupe'
import { expect, test } from 'vitest'
import { firstLease } from '../../src/runtime/journal/store.ts'
import { LeaseKeeper, type Kept } from '../../src/runtime/run/lease-keeper.ts'
import { SignalQueue } from '../../src/runtime/run/signal-queue.ts'
import { createTroupeIn } from '../../src/runtime/troupe/troupe.ts'
import { worker } from '../support/agents/agents.ts'
import { virtualEnvironment } from '../support/clocks/virtual-environment.ts'

function kept(runId: string): Kept {
  return {
    lease: firstLease(runId),
    isOnRecord: true,
    queued: () => undefined,
    lost: () => undefined,
    lose: () => undefined,
  }
}

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

test('a run that is kept while a poll is under way begins no second loop of polls', async () => {
  const environment = virtualEnvironment()
  const answered = Promise.withResolvers<readonly QueuedSignal[]>()
  const store: Store = { ...memoryStore(), queuedSignals: () => answered.promise }
  const report = (): void => undefined
  const keeper = new LeaseKeeper(store, new SignalQueue(store, report), {
    environment,
    leaseTtl: 30_000,
    pollInterval: 100,
    onStray: () => undefined,
    report,
  })
  const first = kept('first')
  keeper.keep(first)
  environment.clock.advance(100)
  keeper.drop(first)
  keeper.keep(kept('second'))
  answered.resolve([])
  await turn()
  expect(environment.clock.pending).toBe(1)
})

test('a pass of a recovery that outlasts its interval is not joined by another', async () => {
  const environment = virtualEnvironment()
  const answered = Promise.withResolvers<Page<RunSummary>>()
  let passes = 0
  const store: Store = {
    ...memoryStore(),
    list: () => (++passes === 1 ? Promise.resolve({ items: [] }) : answered.promise),
  }
  const { agent } = worker('solo', [])
  const troupe = createTroupeIn(environment, { agents: [agent], store })
  await troupe.recover({ every: 100 })
  await environment.clock.elapse(350)
  expect(passes).toBe(2)
  answered.resolve({ items: [] })
  await turn()
  await environment.clock.elapse(100)
  expect(passes).toBe(3)
  await troupe.close()
})
