/**
 * A support desk as an app: a server on Hono with a SQLite store, a page where customers chat and the staff approve refunds.
 * With the file of a store it serves until it is stopped, and goes on with the runs of that file; PORT and SESSION_SECRET
 * keep its address and its sessions over a restart. In a terminal it stays until you press Enter; anywhere else it shows one
 * refund, and ends.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chooseModel } from '../support/model.ts'
import { openDesk } from './server/open-desk.ts'
import { script } from './script.ts'
import { untilEnd } from '../support/until-end.ts'
import { tour } from './tour.ts'

const [, , given] = process.argv
const folder = mkdtempSync(join(tmpdir(), 'troupe-example-'))

await using source = await chooseModel(script)
console.log(source.notice)
const desk = await openDesk({
  model: source.model,
  file: given ?? join(folder, 'desk.db'),
  port: Number(process.env['PORT'] ?? 0),
  secret: process.env['SESSION_SECRET'] ?? crypto.randomUUID(),
})
console.log(`Support desk: open ${desk.url} in a browser.`)

await untilEnd(given !== undefined, () => tour(desk))
await desk.close()
rmSync(folder, { recursive: true })
