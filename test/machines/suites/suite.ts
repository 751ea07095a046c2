/** A machine of ours with the options from which its state graph is made: for its cover, and for its golden graph. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { goldenOf, type CoverOptions, type MachineCover } from 'troupe/testing'
import type { AnyStateMachine } from 'xstate'
import { coverBy } from '../../../src/testing/cover/cover-machine.ts'

export interface Suite<Machine extends AnyStateMachine = AnyStateMachine> {
  readonly machine: Machine
  readonly options: CoverOptions<Machine>
  /** The golden graph of the machine as it is now. It has more edges than a person reads, hence the groups. */
  golden(): string
  /** The cover of the machine as a troupe runs it, with the transitions of the committed golden graph. */
  cover(invariant: NonNullable<CoverOptions<Machine>['invariant']>): MachineCover
}

export function suiteOf<Machine extends AnyStateMachine>(
  machine: Machine,
  options: CoverOptions<NoInfer<Machine>>,
): Suite<Machine> {
  return {
    machine,
    options,
    golden: () => goldenOf(machine, { ...options, form: 'groups' }),
    cover(invariant) {
      const golden = recordedGolden(machine)
      return coverBy('tables', machine, { ...options, golden, invariant } as object as CoverOptions)
    },
  }
}

/** The golden graph that is committed: `npm run goldens` writes it. */
function recordedGolden({ id }: AnyStateMachine): string {
  return readFileSync(join(import.meta.dirname, '../../..', goldenPath(id)), 'utf8')
}

/** The file of a golden graph, relative to the root of the repository. */
export function goldenPath(id: string): string {
  return `test/machines/goldens/${id}.txt`
}
