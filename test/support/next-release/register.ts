/**
 * Lets this process run the next release: the same code with the next protocol of the charts, and with one more step of
 * the tables, which only adds something. Loaded with `--import`, before the code.
 */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

interface Change {
  readonly file: string
  readonly from: RegExp
  readonly to: (matched: string, ...groups: string[]) => string
}

const changes: readonly Change[] = [
  {
    file: '/src/runtime/journal/journal.ts',
    from: /export const protocolVersion = (\d+)/,
    to: (_, version) => `export const protocolVersion = ${Number(version) + 1}`,
  },
  {
    file: '/src/sqlite/connection/schema.ts',
    from: /\n\]\)\n/,
    to: () => "\n  { isAdditive: true, sql: 'ALTER TABLE runs ADD COLUMN label TEXT' },\n])\n",
  },
  {
    file: '/src/postgres/connection/schema.ts',
    from: /\n\]\)\n/,
    to: () =>
      '\n  { isAdditive: true, sql: ({ runs }) => `ALTER TABLE ${runs} ADD COLUMN label text` },\n])\n',
  },
]

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    const change = changes.find(({ file }) => url.endsWith(file))
    if (change === undefined) return loaded
    const source = readFileSync(new URL(url), 'utf8')
    const changed = source.replace(change.from, change.to)
    if (changed === source) throw new Error(`The next release cannot be made of ${url}: it reads otherwise.`)
    return { ...loaded, source: changed }
  },
})
