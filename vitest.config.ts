import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['troupe-source'] },
  ssr: { resolve: { conditions: ['troupe-source'] } },
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 20_000,
    // The default is a second: on a loaded machine an event that is only late would fail a test.
    expect: { poll: { timeout: 15_000 } },
    // Exceptions of tools, hooks and models under test are warnings of the library.
    silent: 'passed-only',
    dangerouslyIgnoreUnhandledErrors: false,
  },
})
