/** Watches the rules of a user over the snapshots of a machine. */
import type { AnyMachineSnapshot } from 'xstate'
import { machineSnapshot } from '../world/machine-snapshot.ts'
import type { ConditionRule } from './user-rules.ts'
import type { Broken, Visit, VisitedRun } from './visit.ts'

type SnapshotRule = ConditionRule<AnyMachineSnapshot>

export class SnapshotMonitor {
  readonly questions = 0
  readonly #rules: readonly (readonly [string, SnapshotRule])[]
  readonly #unmet: Set<string>
  /** By world, the rules of the kind `eventually` that have held in it. */
  readonly #held = new WeakMap<VisitedRun, Set<string>>()

  constructor(rules: Readonly<Record<string, SnapshotRule>>) {
    this.#rules = Object.entries(rules)
    this.#unmet = new Set(this.#rules.filter(([, { kind }]) => kind === 'sometimes').map(([name]) => name))
  }

  get unmet(): readonly string[] {
    return [...this.#unmet]
  }

  /** Notes which rules hold in the present state of a world; called after each of its choices. */
  note(world: VisitedRun): void {
    const held = this.#held.get(world) ?? new Set<string>()
    this.#held.set(world, held)
    for (const [name, { kind, condition }] of this.#rules) {
      if (kind === 'eventually' && condition(machineSnapshot(world))) held.add(name)
    }
  }

  memoryOf(world: VisitedRun): string {
    return [...(this.#held.get(world) ?? [])].toSorted().join()
  }

  check({ world }: Visit): readonly Broken[] {
    const snapshot = machineSnapshot(world)
    return this.#rules.flatMap(([rule, { kind, condition }]): readonly Broken[] => {
      switch (kind) {
        case 'never':
          return condition(snapshot) ? [{ rule, message: 'It holds, and never should.' }] : []
        case 'always':
          return condition(snapshot) ? [] : [{ rule, message: 'It does not hold.' }]
        case 'sometimes':
          if (condition(snapshot)) this.#unmet.delete(rule)
          return []
        case 'eventually':
          return !world.hasEnded || this.#held.get(world)?.has(rule) === true
            ? []
            : [{ rule, message: 'The machine has ended, and it has not held.' }]
      }
    })
  }
}
