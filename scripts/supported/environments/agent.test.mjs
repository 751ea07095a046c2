/* oxlint-disable vitest/expect-expect -- three test runners run it, and their assertions differ: it throws */
/**
 * The tests of an app, for every test runner: each runs under the fake timers that the runner's own set-up has put in. The runner gives
 * `test` as a global name.
 */
import { rmSync } from 'node:fs'
import { ConfigurationError, createAgent } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { answer, expected } from '../answer.mjs'

const places = { memory: undefined, SQLite: { worker: false }, 'SQLite in a thread': { worker: true } }

for (const [place, options] of Object.entries(places)) {
  test(`a run ends and replays on ${place}, and no timer of the test fires meanwhile`, async () => {
    let fired = false
    setTimeout(() => (fired = true), 0)
    const file = `runner-${process.pid}-${options?.worker}.db`
    const store = options && sqliteStore(file, options)
    const answered = await answer(store)
    await store?.close()
    for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true })
    if (answered !== expected) throw new Error(`It answered: ${answered}`)
    if (fired) throw new Error('The timers are real: this test proves nothing.')
  })
}

test('an error has its name and its code', () => {
  const model = { provider: 'mine', modelId: 'none', generate: () => Promise.reject(new Error('Never.')) }
  let thrown
  try {
    createAgent({ id: 'a', model, maxSteps: 'many' })
  } catch (error) {
    thrown = error
  }
  if (!(thrown instanceof ConfigurationError) || thrown.name !== 'ConfigurationError' || !thrown.code)
    throw new Error('It threw something else.', { cause: thrown })
})
