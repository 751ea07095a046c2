/** A folder for one test, removed when the test lets go of it. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface TemporaryFolder extends Disposable {
  readonly path: string
  /** The path of a file in it. */
  file(name: string): string
}

export function temporaryFolder(): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), 'troupe-'))
  return {
    path,
    file: (name) => join(path, name),
    [Symbol.dispose]() {
      chmodSync(path, 0o755) // a test may have made it read-only
      rmSync(path, { recursive: true, force: true })
    },
  }
}
