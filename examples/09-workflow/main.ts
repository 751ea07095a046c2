/** A workflow: a statechart of your own, which a supervisor may use beside its agents. It is seen, and it is stopped. */
import { createTroupe, type EventPayloads } from 'troupe'
import { chooseModel } from '../support/model.ts'
import { reportFailure, row } from '../support/report.ts'
import { createBakery } from './agents.ts'
import { watchMachine } from './watch.ts'
import { script } from './script.ts'

await using source = await chooseModel(script)
console.log(source.notice)

const wish = 'A rye bread, please.'
console.log('\nA loaf of bread:')
await order({ heats: true })

console.log('\nThe oven is broken, and the workflow has a timeout:')
await order({ heats: false, timeout: 200 })

console.log('\nThe oven is broken, and the run is cancelled while the machine waits for it:')
await order({ heats: false, cancelIn: 'heating' })

interface Order {
  readonly heats: boolean
  readonly timeout?: number
  /** The state of the machine in which the run is cancelled. */
  readonly cancelIn?: string
}

async function order({ heats, timeout, cancelIn }: Order): Promise<void> {
  const bakery = createBakery(source.model, { heats, timeout, say: (what) => row('oven', what, 8) })
  const inspect = watchMachine('loaf', (state) => {
    row('machine', state, 8)
    if (state === cancelIn) void run.cancel('The bakery closes.')
  })
  // What the oven throws on purpose is told below, by the agent that ordered.
  const run = await createTroupe({ agents: [bakery], inspect, onError: () => undefined }).start(bakery, wish)

  row('customer', wish, 8)
  for await (const { type, payload } of run.events) {
    if (type === 'delegation-start') row('agent', `${payload.agentName} is asked: ${payload.prompt}`, 8)
    if (type === 'delegation-end') row('agent', `${payload.agentName} says: ${payload.text}`, 8)
    if (type === 'tool-call') row('call', `${payload.toolName} ${JSON.stringify(payload.args)}`, 8)
    if (type === 'tool-result') row('call', `succeeded: ${JSON.stringify(payload.result)}`, 8)
    if (type === 'tool-error') row('call', failure(payload), 8)
  }
  const result = await run.result
  console.log(`Outcome: ${result.outcome}${result.outcome === 'cancelled' ? ` (${result.reason})` : ''}`)
  if (result.text !== '') console.log(`Answer: ${result.text}`)
  reportFailure(result)
}

function failure({ outcome, error }: EventPayloads['tool-error']): string {
  return error === undefined ? outcome : `${outcome}: ${error.message}`
}
