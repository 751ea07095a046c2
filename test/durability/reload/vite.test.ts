/** Vite's development server loads a module again after an edit: runs that wait go on in the new edition, at once. */
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { createServer } from 'vite'
import type * as Desk from './app/desk.ts'
import type * as Kept from './app/kept.ts'
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
    async load<Loaded = typeof Desk>(name: string, file = 'desk.ts'): Promise<Loaded> {
      edition = name
      const { moduleGraph } = server.environments.ssr
      for (const module of moduleGraph.getModulesByFile(join(root, file)) ?? [])
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
