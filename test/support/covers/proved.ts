/**
 * A proof that is the same in each run: it goes through all that can happen, and nothing in it is random. It runs where what it
 * executes is not what the record has. `npm run covers` runs all of them, and writes the record.
 */
import { relative, sep } from 'node:path'
import { expect, type TestContext } from 'vitest'
import { fingerprintOf, root, type Fingerprint } from './fingerprint.ts'
import { everyProof, readRecord, type Counts } from './record.ts'

/** What `npm run covers` writes of a proof that has run. */
export interface Proved extends Fingerprint {
  readonly file: string
  readonly data: readonly string[]
  readonly counts: Counts
}

declare module 'vitest' {
  interface TaskMeta {
    proved?: Proved
  }
}

const known = new Map<string, Promise<Fingerprint>>()

/**
 * Passes where the record has the fingerprint of the test file, and otherwise where `prove` does. `data`: the files that the test file
 * reads, relative to the root of the repository.
 */
export async function proved(
  { task }: Pick<TestContext, 'task'>,
  prove: () => Counts | Promise<Counts>,
  data: readonly string[] = [],
): Promise<void> {
  const file = relative(root, task.file.filepath).split(sep).join('/')
  const fingerprint = known.get(file) ?? fingerprintOf(file, data)
  known.set(file, fingerprint)
  const { hash, modules } = await fingerprint
  const recorded = readRecord()[file]
  const counts = recorded?.proofs[task.fullTestName]
  if (counts !== undefined && recorded?.hash === hash && process.env[everyProof] === undefined) {
    expect(recorded).toMatchObject({ hash, modules, data })
    assertCounts(counts)
    return
  }
  const found = await prove()
  assertCounts(found)
  task.meta.proved = { file, hash, modules, data, counts: found }
}

/** A proof of nothing is none. */
function assertCounts(counts: Counts): void {
  expect(Object.keys(counts)).not.toEqual([])
  expect(Object.entries(counts).filter(([, count]) => !(count > 0))).toEqual([])
}
