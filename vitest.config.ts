import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['troupe-source'] },
  ssr: { resolve: { conditions: ['troupe-source'] } },
  test: {
    include: ['test/**/*.test.ts'],
    // These limits end what hangs. They leave room for a loaded machine, where a test may take ten times as long.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    // Exceptions of tools, hooks and models under test are warnings of the library.
    silent: 'passed-only',
    dangerouslyIgnoreUnhandledErrors: false,
  },
})
