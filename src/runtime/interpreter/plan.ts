/** The work of one transition out of one configuration: the states that it leaves and enters, and all actions. */
import type { AnyStateNode, AnyTransitionDefinition } from 'xstate'
import { operationOf, type Operation } from './operations.ts'

/** A state that is entered. */
export interface Entry {
  readonly operations: readonly Operation[]
  /** The children that the state invokes; an action may send an event to one before it is there. */
  readonly invoked: readonly string[] | undefined
  /** Set for a final state. */
  readonly final?: AnyStateNode
}

export interface Plan {
  /** The exit actions and stopped children, and then the actions of the transition. */
  readonly before: readonly Operation[]
  readonly entries: readonly Entry[]
  /** The leaf of the next configuration. */
  readonly leaf: AnyStateNode
}

/** The nodes from the root to a leaf. */
interface Line {
  readonly nodes: readonly AnyStateNode[]
  readonly leaf: AnyStateNode
}

export function planOf(from: Line, transition: AnyTransitionDefinition): Plan {
  const { machine } = from.leaf
  const actions = transition.actions.map((action) => operationOf(machine, action))
  const [target] = transition.target ?? []
  if (target === undefined) return { before: actions, entries: [], leaf: from.leaf }
  const domain = domainOf(transition, target)
  const left = from.nodes.filter((node) => isBelow(node, domain)).toReversed()
  const entered = enteredBy(transition, target, domain)
  return {
    before: [...left.flatMap(leaving), ...actions],
    entries: entered.nodes
      .map((node) => entryOf(node, entered.byDefault.has(node)))
      .filter(({ operations, final }) => operations.length > 0 || final !== undefined),
    leaf: entered.nodes.at(-1) ?? (left.length === 0 ? from.leaf : domain),
  }
}

/** The first entries of a machine, from its root on. */
export function firstEntries(root: AnyStateNode): readonly Entry[] {
  return [root, ...initialsBelow(root)].map((node) => entryOf(node, true))
}

/** The states that are entered by default below a state, each with its parent before it. */
export function initialsBelow(node: AnyStateNode): readonly AnyStateNode[] {
  if (node.type !== 'compound') return []
  const [initial] = node.initial.target
  return initial === undefined ? [] : [initial, ...initialsBelow(initial)]
}

/** The state in which the transition takes place: the states below it are left and entered. */
function domainOf({ source, reenter }: AnyTransitionDefinition, target: AnyStateNode): AnyStateNode {
  if (!reenter && (target === source || isBelow(target, source))) return source
  for (let node = target.parent; node !== undefined; node = node.parent)
    if (isBelow(source, node)) return node
  return source.machine.root
}

function enteredBy(
  { source, reenter }: AnyTransitionDefinition,
  target: AnyStateNode,
  domain: AnyStateNode,
): { readonly nodes: readonly AnyStateNode[]; readonly byDefault: ReadonlySet<AnyStateNode> } {
  const initials = initialsBelow(target)
  const isEntered = source !== target || source !== domain || reenter
  const byDefault = new Set(isEntered ? [target, ...initials] : initials)
  const above: AnyStateNode[] = []
  for (let node = target.parent; node !== undefined && isBelow(node, domain); node = node.parent)
    above.unshift(node)
  return { nodes: [...above, ...(isEntered ? [target] : []), ...initials], byDefault }
}

function isBelow(node: AnyStateNode, ancestor: AnyStateNode): boolean {
  for (let { parent } = node; parent !== undefined; { parent } = parent) if (parent === ancestor) return true
  return false
}

function leaving({ machine, exit, invoke }: AnyStateNode): Operation[] {
  return [
    ...exit.map((action) => operationOf(machine, action)),
    ...invoke.map(({ id }) => ({ kind: 'stop', actor: id, params: undefined }) as const),
  ]
}

function entryOf(node: AnyStateNode, isByDefault: boolean): Entry {
  const { machine, entry, invoke, type } = node
  const operations: Operation[] = [
    ...entry.map((action) => operationOf(machine, action)),
    ...invoke.map(({ id, systemId, src, input, onSnapshot }) => {
      const syncSnapshot = onSnapshot !== undefined
      return { kind: 'spawn', id, systemId, src, input, syncSnapshot, params: undefined } as const
    }),
    ...(isByDefault ? node.initial.actions.map((action: unknown) => operationOf(machine, action)) : []),
  ]
  return {
    operations,
    invoked: invoke.length === 0 ? undefined : invoke.map(({ id }) => id),
    ...(type === 'final' ? { final: node } : {}),
  }
}
