/** The files of the page, as the build has made them. */
import { RefusedRequest } from '../../kit/wire/index.ts'
import { readFile } from 'node:fs/promises'
import type { Answer } from './answers.ts'

const types: Readonly<Record<string, string>> = {
  'index.html': 'text/html; charset=utf-8',
  'page.css': 'text/css; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
}

/** Seen from a module of the package, from a chunk of it, and from the sources. */
const folders = ['./page/', '../inspector/page/', '../../../dist/inspector/page/'].map(
  (path) => new URL(path, import.meta.url),
)

/** The file at a path of the page; `/runs/…` is a place within the page. `undefined`: there is no such file. */
export async function pageFile(path: string): Promise<Answer | undefined> {
  const asked = path.slice(1)
  const isFile = Object.hasOwn(types, asked)
  if (!isFile && /^\/[^/]*\.\w+$/.test(path)) return undefined
  const name = isFile ? asked : 'index.html'
  return { bytes: await builtFile(name), type: types[name] ?? '' }
}

/** The bytes of a file that the build has made. Rejects with a `RefusedRequest`. */
export async function builtFile(name: string): Promise<Uint8Array> {
  for (const folder of folders) {
    const bytes = await readFile(new URL(name, folder)).catch(() => undefined) // not there: the next one
    if (bytes !== undefined) return bytes
  }
  throw new RefusedRequest(503, 'UNAVAILABLE', 'The page of the inspector is not built: npm run page.')
}
