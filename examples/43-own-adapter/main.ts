/**
 * An adapter of your own: an agent whose work is a chart, with effects that the journal keeps. A process dies within an order, and
 * another one goes on: the price is not asked for again, and the exchange keeps one order. A reader of the journal needs no troupe.
 */
import { createTroupe, memoryStore } from 'troupe'
import { readRun } from 'troupe/kit'
import { createBroker, type Exchange } from './broker.ts'

const orders = new Map<string, string>()

/** `dies`: the process dies before the exchange has answered. */
function exchangeOf(process: string, dies: boolean): Exchange {
  return {
    async priceOf(symbol) {
      console.log(`${process} asks for the price of ${symbol}.`)
      return 42
    },
    async order(symbol, key) {
      console.log(`${process} orders ${symbol} as ${key}.`)
      orders.set(key, symbol)
      if (dies) await new Promise(() => undefined)
      return `Order ${orders.size}: one share of ${symbol}.`
    },
  }
}

const store = memoryStore()
const runId = 'buy-1'

const dying = createBroker(exchangeOf('The first process', true), 50)
const first = createTroupe({ agents: [dying], store })
await first.start(dying, 'ACME', { runId })
while (orders.size === 0) await new Promise((resolve) => setTimeout(resolve, 10))
await first.close()

const living = createBroker(exchangeOf('The second process', false), 50)
const second = createTroupe({ agents: [living], store })
const result = await (await second.resume(runId)).result
console.log(`\n${result.outcome}: ${result.text}`)

const state = readRun([living], (await store.read(runId)) ?? [])
console.log(`\nThe journal has ${state.delivered} entries. Its events:`)
console.log(
  state.recorder.log
    .toArray()
    .map(({ type }) => type)
    .join(', '),
)
await second.close()
