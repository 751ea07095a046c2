/** The options of `explore` for a machine that is no agent. */
import type { AnyStateMachine, InputFrom, SnapshotFrom } from 'xstate'
import { aBoolean, anything, is, recordOf } from '../../actors/strict/checks.ts'
import { isObject, optional, readOptions, type Fields } from '../../actors/strict/read-options.ts'
import type { GraphOptions, StateKey } from '../graph/graph-options.ts'
import { graphFields } from '../graph/graph-source.ts'
import type { ConditionRule } from './rules/user-rules.ts'

/** The options of `explore` for a machine that is no agent. */
export interface MachineExploreOptions<
  Machine extends AnyStateMachine = AnyStateMachine,
> extends GraphOptions<Machine> {
  /** The input of the machine. Default: none. */
  readonly input?: InputFrom<Machine>
  /**
   * The key of a state. Default: value, status, ids of the live children, and the whole context: a machine whose context
   * grows without end needs a key of its own.
   */
  readonly stateKey?: StateKey<Machine>
  /** Whether the process may end, at any state: the journal must then lead to the same run. Default: `true`. */
  readonly crash?: boolean
  /** Rules over the snapshots of the machine, by name: `never`, `always`, `sometimes`, `eventually`. */
  readonly rules?: Readonly<Record<string, ConditionRule<SnapshotFrom<Machine>>>>
}

const kinds: ReadonlySet<unknown> = new Set(['never', 'always', 'sometimes', 'eventually'])

const rule = is(
  'a rule, from never(), always(), sometimes() or eventually()',
  (given) => isObject(given) && kinds.has(Reflect.get(given, 'kind')),
)

const fields: Fields<MachineExploreOptions> = {
  ...graphFields,
  input: optional(anything),
  crash: optional(aBoolean),
  rules: optional(recordOf(rule, 'an object of rules by name')),
}

/** Throws a `ConfigurationError`. */
export function readMachineExplore(given: object, where: string): MachineExploreOptions {
  return readOptions<MachineExploreOptions>(given, where, fields)
}
