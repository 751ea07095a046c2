/** The file of one run: an entry that comes without an event is a row as soon as the store tells of it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createTool, createTroupe, memoryStore, RunNotFoundError } from 'troupe'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { ContentGate } from '../../../src/inspector/files/content.ts'
import { Changes, firstOf } from '../../../src/inspector/files/changes.ts'
import { readFile } from '../../../src/inspector/files/read-file.ts'
import { RunFiles } from '../../../src/inspector/files/run-files.ts'
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

test('a run that is gone ends its readers, and is found no more', async () => {
  const proceed = Promise.withResolvers<string>()
  const { agent } = worker('solo', [{ text: 'Slow.', until: proceed.promise }], { otherwise: 'Done.' })
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Wait.')
  let isGone = false
  const trail: typeof troupe.trail = async (...asked) => {
    if (isGone) throw new RunNotFoundError(run.id)
    const read = await troupe.trail(...asked)
    const more: typeof read.more = async () => {
      if (isGone) throw new RunNotFoundError(run.id)
      return read.more()
    }
    return Object.assign(Object.create(read) as typeof read, {
      more,
      entries: read.entries,
      view: read.view.bind(read),
      length: read.length,
    })
  }
  const gate = new ContentGate(undefined, () => undefined)
  const files = new RunFiles({ service: { ...troupe, trail }, gate, rhythm: { least: 0, most: 10 } })
  const { file, release } = await files.open(run.id)
  isGone = true
  const types: string[] = []
  const { signal } = new AbortController()
  for await (const { type } of readFile(file, { from: 0, series: undefined, signal })) types.push(type)
  release()
  expect(types).toContain('outage')
  expect(types).not.toContain('end')
  for (const from of ['begun', 'opened'] as const)
    await expect(files.open(run.id, from)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
  files.close()
  proceed.resolve('')
  await run.result
  await troupe.close()
})

test('waiting for a thing that does not change leaves nothing behind', async () => {
  const [quiet, lively] = [new Changes(), new Changes()]
  const { signal } = new AbortController()
  const following = quiet.next
  for (let turn = 0; turn < 100; turn++) {
    const waiting = firstOf([following, lively.next], { signal })
    lively.tell()
    await waiting
    expect([quiet.waiting, lively.waiting]).toEqual([0, 0])
  }
  await firstOf([following], { within: 1, signal })
  expect(quiet.waiting).toBe(0)
  quiet.tell() // before anybody waits: it is not lost
  await firstOf([following], { signal })
  const left = new AbortController()
  const waiting = firstOf([quiet.next], { signal: left.signal })
  await sleep(0)
  expect(quiet.waiting).toBe(1)
  left.abort()
  await waiting
  expect(quiet.waiting).toBe(0)
})
