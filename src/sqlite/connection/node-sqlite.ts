/** Loads `node:sqlite` only when a store is opened, so that a Node without it throws an error of ours. */
import { StoreError } from '../../index.ts'

export function nodeSqlite(): typeof import('node:sqlite') {
  const module = process.getBuiltinModule('node:sqlite') as typeof import('node:sqlite') | undefined
  if (module === undefined) {
    throw new StoreError(
      `sqliteStore() needs node:sqlite, which this Node (${process.version}) does not have. ` +
        'Use Node 22.13 or later, or memoryStore() for runs that need not outlive their process.',
      { code: 'STORE_UNAVAILABLE' },
    )
  }
  return module
}
