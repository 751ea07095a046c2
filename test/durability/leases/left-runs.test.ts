/** Behaviour 40: a run whose recovery kills its workers is left, named, and can be resumed or ended. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { createTool, createTroupe, memoryStore, type Page, type Problem, type Store } from 'troupe'
import { createHandler } from 'troupe/http'
import { inspector } from 'troupe/inspector'
import { sqliteStore } from 'troupe/sqlite'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { calls, lead } from '../../support/agents/agents.ts'
import { processOn, suspendedBy } from '../processes.ts'
import { Client } from '../../inspector/support/client.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { deadlyAgent } from './deadly-agent.ts'
import type { DeadlyProcess } from './deadly-process.ts'
import { released } from '../../../src/runtime/journal/store.ts'

const program = join(import.meta.dirname, 'deadly-process.ts')

/** Runs a process to its end: the signal that killed it, and what it said. */
function ended(
  options: DeadlyProcess,
): Promise<{ readonly signal: string | undefined; readonly said: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, JSON.stringify(options)], (error, stdout) =>
      resolve({ signal: error?.signal ?? undefined, said: stdout.trim() }),
    )
  })
}

test('three processes in a row are killed by a run: the next leaves it by name, and a person ends it', async () => {
  using folder = temporaryFolder()
  const file = folder.file('runs.db')
  const leaseTtl = 200
  expect(await ended({ file, verb: 'start', leaseTtl })).toEqual({ signal: 'SIGKILL', said: '' })
  for (const _ of [1, 2, 3])
    expect(await ended({ file, verb: 'recover', leaseTtl })).toEqual({ signal: 'SIGKILL', said: '' })
  expect(await ended({ file, verb: 'recover', leaseTtl })).toEqual({
    signal: undefined,
    said: 'refused RUN_LEFT',
  })

  const store = sqliteStore(file)
  const troupe = createTroupe({ agents: [deadlyAgent(() => undefined)], store })
  const [summary] = (await troupe.runs()).items
  expect(summary).toMatchObject({ status: 'running', leftAt: expect.any(Number) as number })
  await troupe.cancel(summary?.runId ?? '', 'It kills its workers.', { force: true })
  const [end] = (await troupe.runs()).items
  expect(end).toMatchObject({ status: 'settled', outcome: 'cancelled' })
  expect(end).not.toHaveProperty('leftAt')
  await troupe.close()
  await store.close()
}, 60_000)

const order = (seen: string[]) =>
  createTool({
    id: 'order',
    description: 'Orders.',
    inputSchema: z.object({}),
    requireApproval: true,
    execute: () => {
      seen.push('ordered')
      return 'ordered'
    },
  })

/** A run that asks a person, in memory, and the workers that take it up and die. */
async function leftRun(store: Store): Promise<{ readonly runId: string; readonly toolCallId: string }> {
  const { agent } = lead('lead', [calls({ name: 'order', args: {} })], { tools: { order: order([]) } })
  const { troupe, end } = processOn(store, [agent])
  const run = await troupe.start(agent, 'Go')
  const [question] = (await suspendedBy(run)).awaiting
  end()
  for (const n of [1, 2, 3])
    expect(await store.claim(run.id, `worker-${n}`, Number.MAX_SAFE_INTEGER, n)).toBeDefined()
  return { runId: run.id, toolCallId: question?.toolCallId ?? '' }
}

function nextTroupe(store: Store) {
  const seen: string[] = []
  const reports: Problem[] = []
  const { agent, model } = lead('lead', ['Done.'], { tools: { order: order(seen) } })
  const onError = (report: Problem): void => void reports.push(report)
  const troupe = createTroupe({ agents: [agent], store, pollInterval: 5, onError })
  return { troupe, seen, reports, model }
}

const left = { code: 'RUN_LEFT' }

test('an answer to a run that is left waits in the queue: the run goes on with it once a caller resumes it', async () => {
  const store = memoryStore()
  const { runId, toolCallId } = await leftRun(store)
  const { troupe, seen, model } = nextTroupe(store)
  expect(await troupe.recover()).toMatchObject({ runs: [], owned: [], refused: [{ runId, error: left }] })
  await troupe.signal(runId, { type: 'approve', toolCallId })
  await expect(troupe.signal(runId, { type: 'approve', toolCallId })).rejects.toMatchObject({
    code: 'SIGNAL_ALREADY_ANSWERED',
  })
  await expect(troupe.signal(runId, { type: 'say', message: 'Well?' })).rejects.toMatchObject(left)
  expect(await troupe.recover()).toMatchObject({ runs: [], refused: [{ runId, error: left }] })
  expect([seen, model.calls]).toEqual([[], []])

  const run = await troupe.resume(runId)
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect(seen).toEqual(['ordered'])
})

test('the question of a run that is left is marked in each list, and gone once the run has ended by force', async () => {
  const store = memoryStore()
  const { runId, toolCallId } = await leftRun(store)
  const { troupe } = nextTroupe(store)
  const handler = createHandler(troupe, { authorize: 'everybody' })
  const sanitized = inspector(troupe, { sanitize: (content) => content })
  const plain = inspector(troupe)
  const clients = await Promise.all([Client.of(plain), Client.of(sanitized)])
  const over = async (path: string): Promise<Page<object>> => {
    const answer = await handler(new Request(`http://server.test${path}`))
    return (await answer.json()) as Page<object>
  }
  const lists = async (): Promise<readonly (readonly object[])[]> => {
    const pages = await Promise.all([
      troupe.awaiting(),
      over('/awaiting'),
      ...clients.map((client) => client.get<Page<object>>('/awaiting')),
    ])
    return pages.map(({ items }) => items)
  }
  const marked = { runId, toolCallId, leftAt: 3 }
  for (const items of await lists()) expect(items).toMatchObject([marked])
  const runs = [await troupe.runs(), await over('/runs'), await clients[0].get<Page<object>>('/runs')]
  for (const { items } of runs) expect(items).toMatchObject([{ runId, leftAt: 3, awaiting: [marked] }])
  await troupe.cancel(runId, 'It kills its workers.', { force: true })
  expect(await lists()).toEqual([[], [], [], []])
  await Promise.all([plain.stop(), sanitized.stop()])
  await troupe.close()
})

test('workers that look again and again report a run that is left once', async () => {
  const store = memoryStore()
  const { runId } = await leftRun(store)
  let passes = 0
  const list: Store['list'] = (...given) => {
    passes++
    return store.list(...given)
  }
  const { troupe, reports } = nextTroupe({ ...store, list })
  await troupe.recover({ every: 5 })
  await expect.poll(() => passes, { timeout: 20_000 }).toBeGreaterThan(6)
  expect(reports).toMatchObject([{ where: 'run', runId, error: left }])
  await troupe.close()
})

test('a worker that comes upon a left run while its last owner may live finds it owned', async () => {
  const store = memoryStore()
  const { runId } = await leftRun(store)
  const lease = await store.claim(runId, 'a person', Number.MAX_SAFE_INTEGER, Date.now() + 60_000)
  const { troupe } = nextTroupe(store)
  expect(await troupe.recover()).toMatchObject({ runs: [], owned: [runId], refused: [] })
  await store.renew(lease === undefined ? [] : [released(lease)])
  const { runs } = await troupe.recover() // a release begins the count again
  expect(runs.map(({ id }) => id)).toEqual([runId])
})
