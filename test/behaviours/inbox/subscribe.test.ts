/** A listener of a troupe is told of each run whose journal has grown, until it leaves. */
import { createTroupe, memoryStore, type Store } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { expect, test } from 'vitest'
import { worker } from '../../support/agents/agents.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test.each(['memory', 'SQLite'] as const)('it hears of runs in %s, also of another troupe', async (kind) => {
  using folder = temporaryFolder()
  const memory = memoryStore()
  const open = (): Store => (kind === 'memory' ? memory : sqliteStore(folder.file('runs.db')))
  const { agent } = worker('solo', [], { otherwise: 'Done.' })
  const [troupe, other] = [open(), open()].map((store) => createTroupe({ agents: [agent], store }))
  if (troupe === undefined || other === undefined) throw new Error('There are two.')
  const told: string[] = []
  const leave = other.subscribe((runId, change) => void told.push(`${change} ${runId}`))
  const first = await troupe.start(agent, 'Go')
  await first.result
  await expect.poll(() => new Set(told)).toEqual(new Set([`entries ${first.id}`]))
  leave()
  const second = await troupe.start(agent, 'Go')
  await second.result
  await troupe.journal(second.id)
  expect(told.join(' ')).not.toContain(second.id)
  await Promise.all([troupe.close(), other.close()])
})

test('a store that tells nothing is no fault; a listener that is no function is one', async () => {
  const { subscribe: _, ...store } = memoryStore()
  const { agent } = worker('solo', [], { otherwise: 'Done.' })
  const troupe = createTroupe({ agents: [agent], store })
  const leave = troupe.subscribe(() => undefined)
  leave()
  expect(() => troupe.subscribe('tell me' as never)).toThrow('subscribe: the listener must be a function')
  await troupe.close()
})
