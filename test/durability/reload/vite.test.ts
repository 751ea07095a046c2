/** Vite's development server loads a module again after an edit: runs that wait go on in the new edition, at once. */
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { createServer } from 'vite'
import type * as Desk from './app/desk.ts'
import type * as Kept from './app/kept.ts'
import type * as Office from './app/office.ts'
import type { Run, Troupe } from 'troupe'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const root = join(import.meta.dirname, 'app')

/** A development server, whose source is the module of the app with an edition of its own each time. */
async function development() {
  let edition = ''
  const server = await createServer({
    root,
    configFile: false,
    appType: 'custom',
    logLevel: 'error',
    optimizeDeps: { noDiscovery: true },
    server: { middlewareMode: true, hmr: false, ws: false, watch: null },
    plugins: [{ name: 'edit', transform: (code: string) => code.replace('EDITION', edition) }],
  })
  return {
    /** `edited`: the file of the edit; its importers are loaded again too. */
    async load<Loaded = typeof Desk>(name: string, file = 'desk.ts', edited = file): Promise<Loaded> {
      edition = name
      const { moduleGraph } = server.environments.ssr
      for (const module of moduleGraph.getModulesByFile(join(root, edited)) ?? [])
        moduleGraph.invalidateModule(module)
      return (await server.ssrLoadModule(`/${file}`)) as Loaded
    },
    [Symbol.asyncDispose]: () => server.close(),
  }
}

test('a module that was edited takes over the runs of its older edition', async () => {
  using folder = temporaryFolder()
  vi.stubEnv('DESK_FILE', folder.file('desk.db'))
  vi.stubEnv('NODE_ENV', 'development')
  await using server = await development()
  const first = await server.load('first edition')
  const run = await first.troupe.start(first.desk, 'Refund order 17.')
  const result = run.result
  const suspended = await run.whenIdle
  const [question] = suspended.outcome === 'suspended' ? suspended.awaiting : []

  const second = await server.load('second edition')
  expect(second.troupe).not.toBe(first.troupe)
  expect((await second.troupe.recover()).owned).toEqual([])
  await second.troupe.signal(run.id, { type: 'approve', toolCallId: question?.toolCallId ?? '' })
  expect(await result).toMatchObject({ outcome: 'completed', text: 'Done in the second edition.' })
  expect((await second.troupe.resume(run.id)).id).toBe(run.id)
  const tools = (await second.troupe.journal(run.id)).filter(
    (entry) => entry.type === 'effect.settled' && entry.kind === 'tool',
  )
  expect(JSON.stringify(tools)).toContain('refunded by the second edition')

  for (const { troupe, store } of [first, second]) {
    await troupe.close()
    await store.close()
  }
  vi.unstubAllEnvs()
})

test('of agents in several modules, the runs of the one that was edited are taken over, and no others', async () => {
  using folder = temporaryFolder()
  vi.stubEnv('DESK_FILE', folder.file('office.db'))
  vi.stubEnv('NODE_ENV', 'development')
  await using server = await development()
  const first = await server.load<typeof Office>('first edition', 'office.ts')
  const [refund, sale] = [
    await first.troupe.start(first.refunds, 'Refund.'),
    await first.troupe.start(first.sales, 'Sell.'),
  ]
  const results = Promise.all([refund.result, sale.result])
  const questions = [await questionOf(refund), await questionOf(sale)]

  const second = await server.load<typeof Office>('second edition', 'office.ts', 'refunds.ts')
  expect(second.refunds).not.toBe(first.refunds)
  expect(second.sales).toBe(first.sales)
  const { runs, owned } = await second.troupe.recover()
  expect(runs.map(({ id }) => id)).toEqual([refund.id])
  expect(owned).toEqual([sale.id])
  for (const [at, { id }] of [refund, sale].entries())
    await second.troupe.signal(id, { type: 'approve', toolCallId: questions[at] ?? '' })
  expect(await results).toMatchObject([
    { outcome: 'completed', text: 'Done in the second edition.' },
    { outcome: 'completed', text: 'Done in the first edition.' },
  ])
  const calls = await Promise.all([refund, sale].map(async ({ id }) => toolResults(second.troupe, id)))
  expect(calls).toEqual([['done by the second edition'], ['done by the first edition']])

  for (const { troupe, store } of [first, second]) {
    await troupe.close()
    await store.close()
  }
  vi.unstubAllEnvs()
})

async function questionOf(run: Run): Promise<string> {
  const idle = await run.whenIdle
  return (idle.outcome === 'suspended' ? idle.awaiting[0]?.toolCallId : undefined) ?? ''
}

/** The results of the calls of tools, each as often as it was made. */
async function toolResults(troupe: Troupe, runId: string): Promise<readonly unknown[]> {
  return (await troupe.journal(runId)).flatMap((entry) =>
    entry.type === 'effect.settled' && entry.kind === 'tool'
      ? [(entry.settlement.value as { readonly value?: unknown }).value]
      : [],
  )
}

test('a troupe that is kept on globalThis takes the agent that is kept with it, and names the recipe for another', async () => {
  await using server = await development()
  const first = await server.load<typeof Kept>('first edition', 'kept.ts')
  const second = await server.load<typeof Kept>('second edition', 'kept.ts')
  expect(second.loadedAgent).not.toBe(first.loadedAgent)
  const run = await second.troupe.start(second.agent, 'Greet.')
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Hello from the first edition.' })
  await expect(second.troupe.start(second.loadedAgent, 'Greet.')).rejects.toMatchObject({
    name: 'ConfigurationError',
    message: expect.stringContaining(
      'keep both in one place: const { agent, troupe } = (globalThis.app ??= makeApp())',
    ),
  })
  await first.troupe.close()
})
