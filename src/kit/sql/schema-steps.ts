/**
 * The tables of a store of SQL, as the steps that lead to them: new tables take all steps, those of an older release the
 * steps that they lack. A step that was released is never changed.
 */

/** One step, from the tables of the version before it. */
export interface SchemaStep<Sql> {
  readonly sql: Sql
  /** The step only adds something: a release that lacks it works on with the tables. */
  readonly isAdditive?: true
}

/** What stands in a store about its tables. */
export interface SchemaVersions {
  /** The version of the last step that the tables have taken. */
  readonly version: number
  /** The version that a release must know to work with the tables. */
  readonly oldest: number
}

/** The steps of a store, in their order: which of them tables lack, and whether this release works with them. */
export class SchemaSteps<Sql> {
  /** The version of the first step. No release reads tables of a lower version. */
  readonly first: number
  readonly steps: readonly SchemaStep<Sql>[]

  constructor(first: number, steps: readonly SchemaStep<Sql>[]) {
    this.first = first
    this.steps = steps
  }

  /** The version of the last step. */
  get version(): number {
    return this.first + this.steps.length - 1
  }

  /** The version that a release must know to work with tables that have taken all steps. */
  get oldest(): number {
    return this.first + this.steps.findLastIndex(({ isAdditive }) => isAdditive !== true)
  }

  /** The steps that tables of a version lack. Default: all steps. */
  missing(version: number = this.first - 1): readonly Sql[] {
    return this.steps.slice(version - this.first + 1).map(({ sql }) => sql)
  }

  /** `older`, `newer`: this release does not work with such tables. */
  fitOf({ version, oldest }: SchemaVersions): 'fits' | 'older' | 'newer' {
    if (version < this.first) return 'older'
    return oldest > this.version ? 'newer' : 'fits'
  }
}
