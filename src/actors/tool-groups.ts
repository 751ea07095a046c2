/**
 * Selects the tools that an agent is offered: those that are in one of its groups and apply in its current state.
 * `*` is every group, or every state. The rules are those of TrustGraph's tool groups.
 * See docs/design/decisions/delegation.md#tools-by-group-and-state.
 */
/** Every group, or every state. */
const wildcard = '*'

/** The group of a tool that names none, and of an agent that names none. */
export const defaultGroup = 'default'

/** The state of an agent that was not put into another one. */
export const unsetState = 'undefined'

/** The groups that an agent may be offered tools of, and its state. */
export interface ToolScope {
  /** `undefined`: none are named. The default group applies, and does not bind the agents below. */
  readonly toolGroups?: readonly string[] | undefined
  readonly toolState: string
  /** Deferred tools that searches have found, the last one last. Absent: none. */
  readonly foundTools?: readonly string[] | undefined
}

/** When a tool is offered. */
export interface Applicability {
  /** Absent: the default group. */
  readonly groups?: readonly string[] | undefined
  /** Absent: every state. */
  readonly applicableStates?: readonly string[] | undefined
}

export function isOffered(
  { groups = [defaultGroup], applicableStates = [wildcard] }: Applicability,
  { toolGroups = [defaultGroup], toolState }: ToolScope,
): boolean {
  const isInGroup = [...groups, ...toolGroups].includes(wildcard) || meet(groups, toolGroups).length > 0
  return isInGroup && (applicableStates.includes(wildcard) || applicableStates.includes(toolState))
}

/** The groups of `wanted` that `bound` allows: never more than `bound`. `undefined`: none are named. */
export function narrowed(
  bound: readonly string[] | undefined,
  wanted: readonly string[] | undefined,
): readonly string[] | undefined {
  if (bound === undefined || wanted === undefined) return wanted ?? bound
  if (bound.includes(wildcard)) return wanted
  return wanted.includes(wildcard) ? bound : meet(bound, wanted)
}

/** The groups that a model may choose from when it narrows those of another agent; none where there is no choice. */
export function groupChoices({ toolGroups = [] }: Pick<ToolScope, 'toolGroups'>): readonly string[] {
  const names = [...new Set(toolGroups)]
  return names.length < 2 ? [] : names.filter((name) => name !== wildcard)
}

function meet(some: readonly string[], others: readonly string[]): readonly string[] {
  return some.filter((name) => others.includes(name))
}
