/**
 * An app of XState and React whose statechart invokes an agent, all of it in the page: the server has the key of the model, and
 * takes orders. A page that is reloaded goes on with its run. With PORT it serves there until it is stopped; in a terminal it
 * stays until you press Enter; anywhere else it shows one purchase, and ends.
 */
import { once } from 'node:events'
import { chooseModel } from '../support/model.ts'
import { openShop } from './server/open-shop.ts'
import { script } from './script.ts'
import { tour } from './tour.ts'

const isAttended = process.stdin.isTTY && process.stdout.isTTY && !process.env['CI']
const given = process.env['PORT']

await using source = await chooseModel(script)
console.log(source.notice)
const shop = await openShop(source.endpoint, Number(given ?? 0))
console.log(`Shopping: open ${shop.url} in a browser.`)

if (given !== undefined) {
  console.log('Ctrl-C ends.')
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
} else if (isAttended) {
  console.log('Press Enter to end.')
  await once(process.stdin, 'data')
  process.stdin.pause()
} else {
  await tour(shop)
}
await shop.close()
