/** Files of lines that another process may be writing. */
import { existsSync, readFileSync } from 'node:fs'

/** The lines that are whole: a file may be there before its first one is, and the last may still be on its way. */
export function linesOf(file: string): string[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8').split('\n').slice(0, -1)
}
