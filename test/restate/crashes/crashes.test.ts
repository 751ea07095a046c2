/** A worker is killed in the midst of things: people, timers, bails, cancels and tools go on on the next one. */
import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import { restateTroupe, type RestateTroupe } from 'troupe/restate'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { linesOf } from '../../support/lines.ts'
import { temporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts'
import { crashDesk } from './crash-desk.ts'
import { freePorts, RestateServer } from '../../../scripts/restate/server.ts'
import { WorkerHandle } from '../../../scripts/restate/worker-handle.ts'

let folder: TemporaryFolder
let server: RestateServer
let worker: WorkerHandle
let troupe: RestateTroupe
let desk: ReturnType<typeof crashDesk>

beforeAll(async () => {
  folder = temporaryFolder()
  const log = folder.file('log')
  writeFileSync(log, '')
  desk = crashDesk(log)
  server = await RestateServer.start()
  const [port = 0] = await freePorts(1)
  worker = new WorkerHandle(join(import.meta.dirname, 'crash-desk-process.ts'), { port, log })
  await worker.start()
  await server.register(port)
  troupe = restateTroupe({ ingress: server.ingress, agents: Object.values(desk), pollInterval: 10 })
})

afterAll(async () => {
  await worker.kill()
  await server.stop()
  folder[Symbol.dispose]()
})

async function started(name: string) {
  const agent = desk[name]
  if (agent === undefined) throw new Error(`There is no "${name}".`)
  return troupe.start(agent, 'Go')
}

function begun(what: string): number {
  return linesOf(folder.file('log')).filter((line) => line === what).length
}

async function hasBegun(...all: readonly string[]): Promise<void> {
  while (all.some((what) => begun(what) === 0)) await new Promise((resolve) => setTimeout(resolve, 10))
}

async function crash(): Promise<void> {
  await worker.kill()
  await worker.start()
}

test('a person answers after the crash, also a question of a subagent', async () => {
  const run = await started('asker')
  await run.whenIdle
  await crash()
  await run.approve('asker/delegation:1.1/helper/call:1.1')
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'approved 1' })
})

test('a person answers while there is no worker', async () => {
  const run = await started('unsure')
  await hasBegun('doubtful')
  await crash()
  const idle = await run.whenIdle
  const toolCallId = 'unsure/call:1.1'
  expect(idle).toMatchObject({ outcome: 'suspended', awaiting: [{ toolCallId, type: 'interruption' }] })
  await worker.kill()
  const answering = run.resume(toolCallId, { result: 'by hand' })
  await worker.start()
  await answering
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'by hand' })
  expect(begun('doubtful')).toBe(1)
})

test('a tool that must not be repeated fails its call', async () => {
  const run = await started('failing')
  await hasBegun('unrepeatable')
  await crash()
  const result = await run.result
  expect(result).toMatchObject({ outcome: 'completed' })
  expect(result.steps[0]?.toolResults).toMatchObject([{ outcome: 'failed', error: { code: 'INTERRUPTED' } }])
  expect(begun('unrepeatable')).toBe(1)
})

test('a tool that may be repeated is', async () => {
  const run = await started('retrying')
  await hasBegun('repeatable')
  await crash()
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'repeatable again' })
  expect(begun('repeatable')).toBe(2)
})

test('a delay goes on', async () => {
  const run = await started('sleeper')
  await hasBegun('sleeper')
  await crash()
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Slept.' })
  expect(begun('sleeper')).toBe(2)
})

test('a cancel that was sent while there was no worker ends the run', async () => {
  const run = await started('cancelled')
  await hasBegun('endless')
  await worker.kill()
  const cancelling = run.cancel('enough')
  await worker.start()
  await cancelling
  expect(await run.result).toMatchObject({ outcome: 'cancelled', reason: 'enough' })
})

test('a bail after the crash ends the run, and its sibling', async () => {
  const run = await started('bailer')
  await hasBegun('slowly', 'quick')
  await crash()
  expect(await run.result).toMatchObject({ outcome: 'bailed', by: 'quick', text: 'Quickly.' })
})
