/** The options of a golden graph: those of a cover, so that both are about the same graph. */
import type { AnyStateMachine } from 'xstate'
import { oneOf } from '../../actors/strict/checks.ts'
import { withDefault, type Fields } from '../../actors/strict/read-options.ts'
import { coverFields, type CoverOptions } from '../cover/cover-options.ts'

/** The options of `goldenOf`. */
export interface GoldenOptions<
  Machine extends AnyStateMachine = AnyStateMachine,
> extends CoverOptions<Machine> {
  /**
   * `edges`: each edge is written with all that the machine does on it. `groups`: edges that differ in values alone are one
   * entry, with a digest of each; the values are listed by field. Default: `'edges'`.
   */
  readonly form?: 'edges' | 'groups'
}

export const goldenFields = {
  ...coverFields,
  form: withDefault(oneOf('edges', 'groups'), 'edges'),
} satisfies Fields<GoldenOptions>
