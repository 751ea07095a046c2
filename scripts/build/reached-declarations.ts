/** The declarations that the subpaths of the package need. The compiler writes one for each source file, and most are never read. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

const reference = /(?:\bfrom|\bimport\(|\bimport)\s*["'](\.[^"']+)["']/g

/** The files, and all that they import, directly or not. Throws where one of them is not there. */
export function reachedDeclarations(entries: readonly string[]): ReadonlySet<string> {
  const reached = new Set(entries)
  for (const file of reached) {
    if (!existsSync(file)) throw new Error(`There is no declaration ${file}.`)
    for (const [, to = ''] of readFileSync(file, 'utf8').matchAll(reference))
      reached.add(resolve(dirname(file), to.replace(/(?:\.d)?\.[jt]s$/, '.d.ts')))
  }
  return reached
}
