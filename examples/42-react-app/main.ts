/**
 * An app of XState and React whose statechart invokes an agent, all of it in the page: the server has the key of the model, and
 * takes orders. A page that is reloaded goes on with its run. With PORT it serves there until it is stopped; in a terminal it
 * stays until you press Enter; anywhere else it shows one purchase, and ends.
 */
import { chooseModel } from '../support/model.ts'
import { openShop } from './server/open-shop.ts'
import { script } from './script.ts'
import { untilEnd } from '../support/until-end.ts'
import { tour } from './tour.ts'

const given = process.env['PORT']

await using source = await chooseModel(script)
console.log(source.notice)
const shop = await openShop(source.endpoint, Number(given ?? 0))
console.log(`Shopping: open ${shop.url} in a browser.`)

await untilEnd(given !== undefined, () => tour(shop))
await shop.close()
