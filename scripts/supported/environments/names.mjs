/** What a minifier may not change: answers, the names and codes of errors, and states in charts. */
import { ConfigurationError, createAgent, createTroupe } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { answer, expected } from '../answer.mjs'

function thrownBy(act) {
  try {
    act()
  } catch (error) {
    return error
  }
  return undefined
}

async function main() {
  const store = sqliteStore(`names-${process.pid}.db`, { worker: false })
  for (const answered of [await answer(), await answer(store)])
    if (answered !== expected) throw new Error(`It answered: ${answered}`)
  await store.close()

  const model = { provider: 'mine', modelId: 'none', generate: () => Promise.reject(new TypeError('Never.')) }
  const error = thrownBy(() => createAgent({ id: 'a', model, maxSteps: 'many' }))
  if (!(error instanceof ConfigurationError) || error.name !== 'ConfigurationError' || !error.code)
    throw new Error(`The error is: ${String(error)}`)
  const failing = createAgent({ id: 'failing', model, retries: 0 })
  const troupe = createTroupe({ agents: [failing] })
  const run = await troupe.start(failing, 'Go.')
  const result = await run.result
  await troupe.close()
  const told = `${result.outcome} ${result.error?.name} ${result.error?.code}`
  if (told !== 'failed TypeError MODEL_FAILED') throw new Error(`The run told: ${told}`)
  const states = Object.keys(failing.chart().states ?? {})
  if (!states.includes('thinking')) throw new Error(`The chart has: ${states.join(', ')}`)
  console.log('Answers and names are kept.')
}

void main()
