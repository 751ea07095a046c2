/** A poll of the queue that outlasts its run in memory brings no signal again that the run has taken meanwhile. */
import { createTool, createTroupe, memoryStore, type Run, type RunSignal, type Store } from 'troupe'
import { expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { nextTurn, systemEnvironment } from '../../../src/runtime/environment.ts'
import { calls, lead, to, worker } from '../../support/agents/agents.ts'
import { expectPassivated, suspendedBy } from '../processes.ts'
import { listing } from '../../support/listing.ts'

/** A store whose first look that finds a signal ends when it is told to, with what it has found. */
function slowStore() {
  const store = memoryStore()
  const [found, told] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let isSlow = true
  let claims = 0
  const slow: Store = {
    ...store,
    list: listing(store, 'signals', async (read) => {
      const signals = await read()
      if (!isSlow || signals.items.length === 0) return signals
      isSlow = false
      found.resolve()
      await told.promise
      return signals
    }),
    claim(...given) {
      claims++
      return store.claim(...given)
    },
  }
  const endLook = async (): Promise<void> => {
    told.resolve()
    for (let turn = 0; turn < 20; turn++) await nextTurn(systemEnvironment)
  }
  return { store: slow, found: found.promise, endLook, claims: () => claims }
}

/** It has two subagents, and each asks for an approval. */
function boss() {
  const remove = createTool({
    id: 'remove',
    description: 'Removes.',
    inputSchema: z.object({}),
    requireApproval: true,
    execute: () => 'removed',
  })
  const agents = {
    one: worker('one', [calls({ name: 'remove' }), 'One.'], { tools: { remove } }).agent,
    two: worker('two', [calls({ name: 'remove' }), 'Two.'], { tools: { remove } }).agent,
  }
  return lead('boss', [calls(to('one', 'A'), to('two', 'B')), 'Done.'], { agents }).agent
}

const first = 'boss/delegation:1.1/one/call:1.1'
const second = 'boss/delegation:1.2/two/call:1.1'

const ends = async (run: Run): Promise<void> => {
  await run.approve(second)
  await run.result
}

test.each<[string, RunSignal, (run: Run, store: Store) => Promise<unknown>]>([
  ['an answer, and the run has ended', { type: 'approve', toolCallId: first }, ends],
  [
    'a cancel of a delegation, and the run has ended',
    { type: 'cancel', delegationId: 'boss/delegation:1.1' },
    ends,
  ],
  [
    'an answer, and the run waits for another outside of memory',
    { type: 'approve', toolCallId: first },
    async (run, store) => {
      await suspendedBy(run)
      await expectPassivated(store)
    },
  ],
  ['a cancel, and the run has ended', { type: 'cancel' }, (run) => run.result],
])('%s', async (_, signal, leave) => {
  using log = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  const { store, found, endLook, claims } = slowStore()
  const agent = boss()
  const owner = createTroupe({ agents: [agent], store, pollInterval: 5, passivateAfter: 0 })
  const other = createTroupe({ agents: [boss()], store })
  onTestFinished(async () => {
    await owner.close()
    await other.close()
  })
  const run = await owner.start(agent, 'Go')
  await suspendedBy(run)
  const telling = other.signal(run.id, signal)
  await found
  await telling
  await leave(run, store)
  const [before, claimed] = [await store.read(run.id), claims()]
  await endLook()
  expect(await store.read(run.id)).toEqual(before)
  expect(claims()).toBe(claimed)
  expect(log).not.toHaveBeenCalled()
})
