/**
 * An arrow of a state that several charts share: a chart has the arrows whose targets it names.
 *
 * `to` is the id of a state, which is its name (named.ts), or its path from such a state: `finalTurn.accepted`. A plain
 * `target: 'x'` elsewhere is a sibling of the state.
 */

export function arrow<const Guard>(
  guard: Guard,
  to: string | undefined,
): readonly { readonly guard: Guard; readonly target: string }[]
export function arrow<const Guard, const Actions>(
  guard: Guard,
  to: string | undefined,
  actions: Actions,
): readonly { readonly guard: Guard; readonly target: string; readonly actions: Actions }[]
export function arrow(guard: unknown, to: string | undefined, actions?: unknown): readonly object[] {
  if (to === undefined) return []
  return [{ guard, target: `#${to}`, ...(actions === undefined ? {} : { actions }) }]
}

/** As `arrow`, without a guard: the last of its list. */
export function always<const Actions>(
  to: string | undefined,
  actions: Actions,
): readonly { readonly target: string; readonly actions: Actions }[] {
  return to === undefined ? [] : [{ target: `#${to}`, actions }]
}
