/** Opens the app over what is kept. Everything but the model and the orders is in the page. */
import { createTroupe, openai, type Troupe } from 'troupe'
import type { Snapshot } from 'xstate'
import { createBuyer, type PlaceOrder } from '../agents.ts'
import { keptSnapshot, keptStore, type KeptStorage } from './kept.ts'
import { createShopping, type Shopping } from './shopping.ts'

export interface OpenApp {
  readonly machine: Shopping
  readonly troupe: Troupe
  /** Of the page before; `undefined`: there was none. */
  readonly snapshot: Snapshot<unknown> | undefined
}

/** `server`: the origin of the page. It has the key of the model, and chooses the model. */
export async function openApp(storage: KeptStorage, server: string): Promise<OpenApp> {
  const model = openai('of-the-server', { baseURL: new URL('/v1', server).href, apiKey: 'of-the-server' })
  const buyer = createBuyer(model, orderAt(server))
  const store = await keptStore(storage)
  const troupe = createTroupe({ agents: [buyer], store, retention: { runs: { number: 20 } } })
  return { machine: createShopping(troupe, buyer), troupe, snapshot: keptSnapshot(storage) }
}

function orderAt(server: string): PlaceOrder {
  return async (ordered, key, signal) => {
    const response = await fetch(new URL('/orders', server), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(ordered),
      signal,
    })
    if (!response.ok) throw new Error(`The shop has answered with the status ${response.status}.`)
    const { number } = (await response.json()) as { readonly number: string }
    return number
  }
}
