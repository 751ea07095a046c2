/** Polls of the store do not overlap, however slowly it answers; a call that it never answers ends none of them. */
import { Epochs } from '../../src/runtime/journal/epochs.ts'
import {
  memoryStore,
  type JournalEntry,
  type Page,
  type QueuedSignal,
  type RunSummary,
  type Store,
} from 'troupe'
import { expect, test } from 'vitest'
import { firstLease } from '../../src/runtime/journal/store.ts'
import { LeaseKeeper, type Kept } from '../../src/runtime/run/lease-keeper.ts'
import { SignalQueue } from '../../src/runtime/run/signal-queue.ts'
import { createTroupeIn } from '../../src/runtime/troupe/troupe.ts'
import { worker } from '../support/agents/agents.ts'
import { guarded } from '../support/agents/guarded.ts'
import { virtualEnvironment } from '../support/clocks/virtual-environment.ts'
import { listing } from '../support/listing.ts'

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
  const answered = Promise.withResolvers<Page<QueuedSignal>>()
  const inner = memoryStore()
  const store: Store = { ...inner, list: listing(inner, 'signals', () => answered.promise) }
  const report = (): void => undefined
  const keeper = new LeaseKeeper(store, new SignalQueue(store, report), {
    environment,
    leaseTtl: 30_000,
    pollInterval: 100,
    epochs: new Epochs(store, () => undefined, environment.clock),
    onStray: () => undefined,
    report,
  })
  const first = kept('first')
  keeper.keep(first)
  environment.clock.advance(100)
  keeper.drop(first)
  keeper.keep(kept('second'))
  answered.resolve({ items: [] })
  await turn()
  expect(environment.clock.pending).toBe(1)
})

test('a pass of a recovery that outlasts its interval is not joined by another', async () => {
  const environment = virtualEnvironment()
  const answered = Promise.withResolvers<Page<RunSummary>>()
  let passes = 0
  const inner = memoryStore()
  const list = listing(inner, 'runs', () =>
    ++passes === 1 ? Promise.resolve({ items: [] }) : answered.promise,
  )
  const store: Store = { ...inner, list }
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

test('a poll of an owner that the store never answers is followed by others', async () => {
  const environment = virtualEnvironment()
  let polls = 0
  const inner = memoryStore()
  const list = listing(inner, 'signals', () =>
    ++polls === 1 ? new Promise(() => undefined) : Promise.resolve({ items: [] }),
  )
  const store: Store = { ...inner, list }
  const problems: string[] = []
  const keeper = new LeaseKeeper(store, new SignalQueue(store, () => undefined), {
    environment,
    leaseTtl: 3_000,
    pollInterval: 100,
    epochs: new Epochs(store, () => undefined, environment.clock),
    onStray: () => undefined,
    report: ({ message }) => problems.push(message),
  })
  keeper.keep({ ...kept('first'), isOnRecord: false })
  await environment.clock.elapse(3_000)
  expect({ polls, problems }).toEqual({ polls: 1, problems: [] })
  await environment.clock.elapse(200)
  expect({ polls, problems }).toEqual({
    polls: 2,
    problems: ['the store could not be asked for signals and leases; trying again'],
  })
  await environment.clock.elapse(100)
  expect({ polls, problems: problems.length }).toEqual({ polls: 3, problems: 1 })
})

test('a passivated run whose journal the store never gives holds up no other, and is lost after the span of a lease', async () => {
  const { subscribe: _, ...memory } = memoryStore()
  const environment = virtualEnvironment()
  const { agent } = worker('clerk', [], {
    tools: { guarded },
    otherwise: ({ messages }) =>
      messages.some(({ role }) => role === 'tool') ? 'Done.' : { toolCalls: [{ name: 'guarded', args: {} }] },
  })
  const hung = new Set<string>()
  const read = (runId: string, from?: number): Promise<readonly JournalEntry[] | undefined> =>
    hung.has(runId) ? new Promise(() => undefined) : memory.read(runId, from)
  const config = { agents: [agent], pollInterval: 100, leaseTtl: 3_000 }
  const here = createTroupeIn(environment, { ...config, store: { ...memory, read }, passivateAfter: 0 })
  const there = createTroupeIn(virtualEnvironment('there', environment.clock), { ...config, store: memory })
  const first = await here.start(agent, 'First', { runId: 'first' })
  const second = await here.start(agent, 'Second', { runId: 'second' })
  const [lost, ended] = [first.result.catch((error: unknown) => error), second.result]
  const idle = await second.whenIdle
  await environment.clock.elapse(10)
  hung.add('first')
  const question = idle.outcome === 'suspended' ? idle.awaiting[0] : undefined
  const elsewhere = await there.resume('second')
  await elsewhere.approve(question?.toolCallId ?? expect.fail('no question'))
  await elsewhere.result
  await environment.clock.elapse(500)
  expect(await ended).toMatchObject({ text: 'Done.' })
  await environment.clock.elapse(3_000)
  expect(await lost).toMatchObject({ name: 'StoreError', code: 'STORE_FAILED', runId: 'first' })
  hung.clear()
  await (await here.resume('first')).cancel()
  await Promise.all([here.close(), there.close()])
})
