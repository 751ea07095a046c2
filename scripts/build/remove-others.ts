/** Removes what an earlier build has left: nothing but the present build may be in a folder that is published. */
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** Removes the files below `folder` whose names match, but those that are kept: paths of files, and of folders with all in them. */
export function removeOthers(folder: string, pattern: RegExp, kept: readonly string[]): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (kept.includes(path)) continue
    if (entry.isDirectory()) removeOthers(path, pattern, kept)
    else if (pattern.test(entry.name)) rmSync(path)
  }
}
