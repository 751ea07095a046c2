/** The file of one run: an entry that comes without an event is a row as soon as the store tells of it. */
import { createTool, createTroupe, memoryStore } from 'troupe'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { ContentGate } from '../../../src/inspector/files/content.ts'
import { RunFile } from '../../../src/inspector/files/run-file.ts'
import { calls, worker } from '../../support/agents/agents.ts'

const never = 2 ** 31 - 1

test('an entry without an event is a row at once where the store tells of it', async () => {
  const [begun, proceed] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()]
  const dig = createTool({
    id: 'dig',
    description: 'Digs.',
    inputSchema: z.object({}),
    requireApproval: true,
    execute() {
      begun.resolve()
      return proceed.promise
    },
  })
  const { agent } = worker('solo', [calls({ name: 'dig' })], { tools: { dig }, otherwise: 'Done.' })
  const troupe = createTroupe({ agents: [agent], store: memoryStore() })
  const run = await troupe.start(agent, 'Dig.')
  await run.whenIdle
  // No event of the run is heard, and no look comes by itself.
  const quiet: AsyncIterableIterator<never> = {
    next: () => new Promise(() => undefined),
    return: async () => ({ done: true, value: undefined }),
    [Symbol.asyncIterator]: () => quiet,
  }
  const service = {
    ...troupe,
    watch: () => Object.assign(troupe.watch(run.id), { [Symbol.asyncIterator]: () => quiet }),
  }
  const gate = new ContentGate(undefined, () => undefined)
  const file = new RunFile(run.id, { service, gate, rhythm: { least: 0, most: never } })
  await file.opened
  const typesOf = () => file.rows.map(({ type }) => type)
  expect(typesOf().at(-1)).toBe('effect.settled')
  await run.approve('solo/call:1.1')
  await begun.promise
  await expect.poll(() => typesOf().slice(-2)).toEqual(['signal.received', 'effect.started'])
  proceed.resolve('earth')
  await run.result
  await expect.poll(() => file.isWhole).toBe(true)
  expect(typesOf()).toEqual((await troupe.journal(run.id)).map(({ type }) => type))
  file.drop()
  await troupe.close()
})
