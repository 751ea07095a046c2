/**
 * Loaded before the tests: a database has the thread that was built for the package, and not the 600 modules of its source, which
 * take ten times as long. It is built from the present sources before all tests.
 */
import { registerHooks } from 'node:module'

const starter = new URL('../../../src/sqlite/worker/ask-worker.ts', import.meta.url).href
const place = '`./database-worker.${extension}`'
const built = '`../../../dist/sqlite/database-worker.js`'

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    if (!url.startsWith(starter)) return loaded
    const source = Buffer.from(loaded.source as Uint8Array).toString()
    if (!source.includes(place)) throw new Error(`${starter} does not start its thread by ${place} any more.`)
    return { ...loaded, source: source.replace(place, built) }
  },
})
