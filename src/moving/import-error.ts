/** The errors of an import. */
import { TroupeError } from '../index.ts'
import { errorKind } from '../kit/index.ts'
import type { Counts } from './format.ts'

/** What an import has brought into a store. */
export interface ImportReport extends Counts {
  /** Runs that the store had already: they are as they were. */
  readonly present: number
}

/** An import has ended early. What it had brought before is in the store, whole; the same import goes on from there. */
export class ImportError extends TroupeError {
  static override readonly [errorKind] = 'ImportError'
  declare readonly code: 'IMPORT_INVALID' | 'IMPORT_INCOMPLETE' | 'IMPORT_NEWER' | 'IMPORT_CONFLICT'
  /** What is in the store by then. */
  readonly imported: ImportReport

  constructor(code: ImportError['code'], problem: string, imported: ImportReport, cause?: unknown) {
    const { runs, present, threads, notes, blobs } = imported
    const kept = `The store has taken, each whole: runs ${runs}, threads ${threads}, notes ${notes}, files ${blobs}. Runs that were there before: ${present}.`
    super(code, `importRuns: ${problem} ${kept}`, cause === undefined ? {} : { cause })
    this.imported = imported
  }
}
