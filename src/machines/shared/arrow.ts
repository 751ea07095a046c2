/**
 * An arrow of a state that a chart names: of a part of one chart, or of a state that several charts share.
 *
 * `to` is the id of a state, which is its name (named.ts), or its path from such a state: `finalTurn.accepted`. A plain
 * `target: 'x'` elsewhere is a sibling of the state.
 */
import { ConfigurationError } from '../../errors.ts'

export function arrow<const Guard>(
  guard: Guard,
  to: string,
): { readonly guard: Guard; readonly target: string }
export function arrow<const Guard, const Actions>(
  guard: Guard,
  to: string,
  actions: Actions,
): { readonly guard: Guard; readonly target: string; readonly actions: Actions }
export function arrow(guard: unknown, to: string, actions?: unknown): object {
  return { guard, target: idOf(to, guard), ...(actions === undefined ? {} : { actions }) }
}

/** As `arrow`, for a chart that may leave the target out: then it has no such arrow. */
export function optionalArrow<const Guard>(
  guard: Guard,
  to: string | undefined,
): readonly { readonly guard: Guard; readonly target: string }[]
export function optionalArrow<const Guard, const Actions>(
  guard: Guard,
  to: string | undefined,
  actions: Actions,
): readonly { readonly guard: Guard; readonly target: string; readonly actions: Actions }[]
export function optionalArrow(guard: unknown, to: string | undefined, actions?: unknown): readonly object[] {
  return to === undefined ? [] : [arrow(guard, to, actions)]
}

/** As `optionalArrow`, without a guard: the last of its list. */
export function always<const Actions>(
  to: string | undefined,
  actions: Actions,
): readonly { readonly target: string; readonly actions: Actions }[] {
  return to === undefined ? [] : [{ target: idOf(to), actions }]
}

/** Types do not see every chart: a misspelt option of its targets would leave out an arrow without a word. */
function idOf(to: string | undefined, guard?: unknown): string {
  if (to !== undefined && to !== '') return `#${to}`
  throw new ConfigurationError(`The arrow "${nameOf(guard)}" leads to no state.`)
}

function nameOf(guard: unknown): string {
  if (typeof guard === 'string') return guard
  return typeof guard === 'object' && guard !== null ? String(Reflect.get(guard, 'type')) : 'always'
}
