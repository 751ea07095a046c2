/** JSON that was stored, read back; what is none any more is damage. */
import { corrupt } from './store-failure.ts'
import type { Database } from './database.ts'

export function parseStored({ file }: Database, json: string, what: string): unknown {
  try {
    return JSON.parse(json) as unknown
  } catch (error) {
    throw corrupt(file, `what is stored as ${what} cannot be read.`, error)
  }
}
