/** The entries of the package, from `package.json`: their subpaths and sources. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')

export interface Entry {
  /** As `exports` has it: `.`, `./testing`. */
  readonly subpath: string
  /** As a program imports it: `troupe/testing`. */
  readonly name: string
  readonly file: string
}

export function entriesOf(): readonly Entry[] {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly name: string
    readonly exports: Readonly<Record<string, string | { readonly 'troupe-source': string }>>
  }
  return Object.entries(manifest.exports).flatMap(([subpath, target]) =>
    typeof target === 'string'
      ? []
      : [{ subpath, name: manifest.name + subpath.slice(1), file: join(root, target['troupe-source']) }],
  )
}
