/** An arrow of a state that several charts share: a chart has the arrows whose targets it names. */

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
