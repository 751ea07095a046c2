// As a whole: a name that an older Node does not have would fail before its version is looked at.
import fs from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import type { Plugin } from 'vite'
import { withoutBarrels } from './scripts/build/without-barrels.ts'
import manifest from './package.json' with { type: 'json' }

const needed = Number.parseInt(manifest.devDependencies.node, 10)
if (Number.parseInt(process.versions.node, 10) < needed) {
  throw new Error(
    `The tests need Node ${needed} or later, and this is Node ${process.versions.node}. After "npm ci", "npm test" and ` +
      `"npx vitest" run them on Node ${manifest.devDependencies.node}.`,
  )
}

/** Rooms of test/ whose files leave nothing behind in their process: they share processes, in any order. */
const rooms = [
  'a2a',
  'actors',
  'ai-sdk',
  'audit',
  'behaviours',
  'code-mode',
  'conformance',
  'diagram',
  'durability',
  'entry',
  'examples',
  'field',
  'http',
  'inspect-stately',
  'inspector',
  'kit',
  'machines',
  'mastra',
  'mcp',
  'moving',
  'mutation',
  'otel',
  'properties',
  'provenance',
  'restate',
  'runtime',
  'schedules',
  'scripts',
  'sealed',
  'recall',
  'skills',
  'simulation',
  'soak',
  'standalone',
  'stores',
  'strict',
  'testing',
  'trustgraph',
  'user-functions',
  'view',
]

/** Files of these rooms that replace a module, a global, a timer or a listener of their process, or import TSX. */
const alone = [
  'test/actors/models/throttled.test.ts',
  'test/behaviours/hosted/react.test.ts',
  'test/behaviours/hosted/system.test.ts',
  'test/behaviours/inbox/ended-runs-memory.test.ts',
  'test/behaviours/runs/faults.test.ts',
  'test/inspector/page/chart/layout.test.ts',
  'test/inspector/page/lists.test.ts',
  'test/inspector/page/timeline/bars.test.ts',
  'test/mcp/servers.test.ts',
  'test/properties/two-stores.test.ts',
  'test/runtime/fake-timers.test.ts',
  'test/runtime/in-time.test.ts',
  'test/runtime/interpreter/child-actor.test.ts',
]

/** Tests in a browser: they share processes, so that a process opens one browser. */
const browser = fs.globSync('test/{inspector,examples}/browser/**/*.test.ts', { cwd: import.meta.dirname })

const shared = fs.globSync(['test/*.test.ts', `test/{${rooms.join(',')}}/**/*.test.ts`], {
  cwd: import.meta.dirname,
  exclude: [...alone, ...browser],
})

/** Databases of tests are in memory where there is room for them: on a disk a fifth of the time is waiting for it. */
const memory = '/dev/shm'
const roomInMemory = fs.existsSync(memory) ? fs.statfsSync(memory).bavail * fs.statfsSync(memory).bsize : 0
const temporary = roomInMemory >= 4 * 2 ** 30 ? { TMPDIR: memory } : {}

const builtThreads = join(import.meta.dirname, 'test/support/processes/built-threads.ts')

export default defineConfig({
  plugins: [{ ...withoutBarrels(import.meta.dirname), enforce: 'pre' } as Plugin],
  resolve: { conditions: ['troupe-source'] },
  ssr: { resolve: { conditions: ['troupe-source'] } },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: shared,
          isolate: false,
          // Node loads the sources itself: files of one process load them once.
          experimental: { viteModuleRunner: false, nodeLoader: false },
          // Much in them survives young collections, and V8 would create more and more among old objects: twice the work.
          execArgv: [
            '--conditions=troupe-source',
            '--no-allocation-site-pretenuring',
            `--import=${builtThreads}`,
          ],
        },
      },
      { extends: true, test: { name: 'browser', include: browser, isolate: false } },
      {
        extends: true,
        test: {
          name: 'alone',
          include: ['test/**/*.test.ts', 'examples/**/*.test.ts'],
          exclude: [...shared, ...browser, '**/.next/**'],
        },
      },
    ],
    reporters: ['default', './test/support/processes/failures.ts'],
    globalSetup: ['test/support/processes/build-setup.ts'],
    // One more than there are processors: many tests wait for processes that they start.
    maxWorkers: availableParallelism() + 1,
    // Processes that tests start do not compile again what another one has compiled.
    env: { ...temporary, NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/node') },
    // One limit for all tests. It ends a test that hangs, and leaves room for a loaded machine.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 180_000 } },
    // Exceptions of tools, hooks and models under test are warnings of the library.
    silent: 'passed-only',
    dangerouslyIgnoreUnhandledErrors: false,
  },
})
