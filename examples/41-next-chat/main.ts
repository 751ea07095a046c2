/**
 * A chat with `useChat` as an app of Next.js: the route is the handler of `troupe/http`, and the page is rendered with the
 * chat so far. Another page has the summaries of the runs. The app is built first, where it has changed. With PORT it serves
 * there until it is stopped; in a terminal it stays until you press Enter; anywhere else it books one seat, and ends.
 */
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import next from 'next'
import { chooseModel } from '../support/model.ts'
import { ensureBuilt, folder } from './build.ts'
import { script } from './script.ts'
import { untilEnd } from '../support/until-end.ts'
import { tour } from './tour.ts'

const given = process.env['PORT']
process.env['NEXT_TELEMETRY_DISABLED'] = '1'

await using source = await chooseModel(script)
Object.assign(process.env, source.environment) // the app has its model from there
console.log(source.notice)
await ensureBuilt()
const app = next({ dev: false, dir: folder })
await app.prepare()
const server = createServer(app.getRequestHandler() as RequestListener)
server.listen(Number(given ?? 0), '127.0.0.1')
await once(server, 'listening')
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
console.log(`Travel bureau: open ${url} in a browser.`)

await untilEnd(given !== undefined, () => tour(url))
server.closeAllConnections()
server.close()
await app.close()
