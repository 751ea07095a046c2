/** The set-up of Vitest: its fake timers, all of them but `nextTick`, with which Vitest itself works. */
import { vi } from 'vitest'

vi.useFakeTimers({
  toFake: [
    'setTimeout',
    'clearTimeout',
    'setInterval',
    'clearInterval',
    'setImmediate',
    'clearImmediate',
    'Date',
    'queueMicrotask',
  ],
})
