/**
 * Fails when the page of the inspector is larger than its limit: its script, its style sheet and its document, gzipped. So
 * with the script of the element `<troupe-run>`. The
 * limit leaves little above the size of the day: growth is a decision, made here.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { ensurePage, folder } from './build-page.ts'

const limit = 70_000

await ensurePage()
const sizes = ['page.js', 'page.css', 'index.html'].map(
  (name) => [name, gzipSync(readFileSync(join(folder, name)), { level: 9 }).length] as const,
)
const total = sizes.reduce((sum, [, size]) => sum + size, 0)
for (const [name, size] of sizes) console.log(`${name}: ${size} bytes, gzipped`)
if (total > limit) throw new Error(`The page of the inspector has ${total} bytes; its limit is ${limit}.`)
console.log(`The page of the inspector has ${total} of ${limit} bytes.`)

/** Of the element `<troupe-run>`, which a page of anybody loads. */
const limitOfElement = 46_000
const element = gzipSync(readFileSync(join(folder, 'troupe-run.js')), { level: 9 }).length
if (element > limitOfElement)
  throw new Error(`The element troupe-run has ${element} bytes; its limit is ${limitOfElement}.`)
console.log(`The element troupe-run has ${element} of ${limitOfElement} bytes.`)
