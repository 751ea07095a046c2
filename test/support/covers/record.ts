/** The record of `npm run covers`: by test file, the fingerprint that it had, and how much each proof in it went through. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What a proof went through, as states, edges and paths. Each number is above zero. */
export type Counts = Readonly<Record<string, number>>

export interface ProvedFile {
  readonly hash: string
  /** How many modules the hash is of. */
  readonly modules: number
  /** The files that it reads, which the hash is of too. */
  readonly data: readonly string[]
  /** By the full name of the test. */
  readonly proofs: Readonly<Record<string, Counts>>
}

/** By the path of the test file, relative to the root of the repository. */
export type CoverRecord = Readonly<Record<string, ProvedFile>>

/** The variable of the environment that lets each proof run, as `npm run covers` does. */
export const everyProof = 'EVERY_PROOF'

export const recordPath = join(import.meta.dirname, '../../covers.json')

export function readRecord(): CoverRecord {
  return JSON.parse(readFileSync(recordPath, 'utf8')) as CoverRecord
}
