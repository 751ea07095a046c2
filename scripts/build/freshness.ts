/** When files were changed: what is built of them is built again only when it is older. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Whether `built` is there and no older than any of the sources, which are files, or folders with all below them. */
export function isFresh(built: string, sources: readonly string[]): boolean {
  const builtAt = statSync(built, { throwIfNoEntry: false })?.mtimeMs
  return builtAt !== undefined && sources.every((source) => newestOf(source) <= builtAt)
}

/** When the file, or the newest of a folder and all below it, was changed. A folder changes when a file goes. */
function newestOf(path: string): number {
  const all = statSync(path).isFile()
    ? [path]
    : [path, ...readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => join(path, name))]
  return Math.max(...all.map((one) => statSync(one).mtimeMs))
}
