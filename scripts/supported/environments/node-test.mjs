/** The set-up of `node:test`: its timers for each test, and `test` as a global name. */
import { afterEach, beforeEach, mock, test } from 'node:test'

globalThis.test = test
beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'setImmediate', 'Date'] }))
afterEach(() => mock.timers.reset())
