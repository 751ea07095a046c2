/** What `package.json` says of the place where the project is. It is the one file with placeholders until there is an owner. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly homepage: string
  readonly author: string
  readonly license?: string
  readonly publishConfig?: object
  readonly repository: { readonly url: string }
  readonly bugs: { readonly url: string; readonly email: string }
}

export function readManifest(): Manifest {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
}

/** The fields that nobody has filled in: `OWNER`, or an address that can never be (`.example`). */
export function placeholdersIn(manifest: Manifest): readonly string[] {
  const fields = {
    author: manifest.author,
    homepage: manifest.homepage,
    'repository.url': manifest.repository.url,
    'bugs.url': manifest.bugs.url,
    'bugs.email': manifest.bugs.email,
  }
  return Object.entries(fields)
    .filter(([, value]) => /\bOWNER\b|\.example\b/.test(value))
    .map(([field, value]) => `${field}: ${value}`)
}

/** The page of the repository: `https://github.com/somebody/troupe`. */
export function pageOf({ repository }: Manifest): string {
  const [, page] = /^git\+(https:\/\/github\.com\/[\w.-]+\/[\w.-]+)\.git$/.exec(repository.url) ?? []
  if (page === undefined) throw new Error(`repository.url is not of GitHub: ${repository.url}`)
  return page
}
