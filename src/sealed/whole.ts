/** Ports that are passed on whole: a member that a port gains does not compile until it is passed on too. */

/** Each member of a port, also the optional ones. */
export type Whole<Port> = { readonly [Member in keyof Required<Port>]: Port[Member] }

/** The port, without the members that the inner port lacks. */
export function present<Port extends object>(whole: Whole<Port>): Port {
  return Object.fromEntries(Object.entries(whole).filter(([, member]) => member !== undefined)) as Port
}
