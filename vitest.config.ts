import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['troupe-source'] },
  ssr: { resolve: { conditions: ['troupe-source'] } },
  test: {
    include: ['test/**/*.test.ts'],
    // Processes that tests start read the sources without translating them again.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/node') },
    // One limit for all tests. It ends a test that hangs, and leaves room for a loaded machine.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 180_000 } },
    // Exceptions of tools, hooks and models under test are warnings of the library.
    silent: 'passed-only',
    dangerouslyIgnoreUnhandledErrors: false,
  },
})
