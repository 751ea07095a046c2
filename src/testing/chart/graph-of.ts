/** The chart of a machine as a directed graph: its states, and an edge for each target of each transition, with its text. */
import { toDirectedGraph, type DirectedGraphEdge, type DirectedGraphNode } from '@xstate/graph'
import type { AnyStateMachine } from 'xstate'

/**
 * `toDirectedGraph` of `@xstate/graph`, with the eventless transitions (`always`) that it leaves out: they come after the others
 * of their state, and their label is empty. A transition without a target is an edge from the state to itself.
 */
export function graphOf(machine: AnyStateMachine): DirectedGraphNode {
  // The root: `toDirectedGraph` does not know a machine that is made by another copy of xstate.
  return whole(toDirectedGraph(machine.root))
}

function whole(node: DirectedGraphNode): DirectedGraphNode {
  const { id, stateNode } = node
  const children = node.children.map(whole)
  const edges = [...node.edges, ...eventlessEdges(stateNode)]
  return { id, stateNode, children, edges, toJSON: () => ({ id, children, edges }) }
}

function eventlessEdges(source: DirectedGraphNode['stateNode']): DirectedGraphEdge[] {
  return (source.always ?? []).flatMap((transition, index) =>
    (transition.target ?? [source]).map((target, targetIndex) => {
      const label = { text: '', toJSON: () => ({ text: '' }) }
      return {
        id: `${source.id}:always:${index}:${targetIndex}`,
        source,
        target,
        transition,
        label,
        toJSON: () => ({ source: source.id, target: target.id, label: label.toJSON() }),
      }
    }),
  )
}

/** The edges of a node and of all nodes inside it, in document order. */
export function edgesOf(node: DirectedGraphNode): readonly DirectedGraphEdge[] {
  return [...node.edges, ...node.children.flatMap(edgesOf)]
}

/** By transition, `state: event [guard] → target`, in document order. */
export function labelledTransitions(machine: AnyStateMachine): ReadonlyMap<unknown, string> {
  const edges = edgesOf(graphOf(machine))
  return new Map(edges.map((edge) => [edge.transition, labelOf(edge)]))
}

export function transitionLabels(machine: AnyStateMachine): readonly string[] {
  return [...labelledTransitions(machine).values()]
}

function labelOf({ source, label, transition }: DirectedGraphEdge): string {
  const { guard, target }: Pick<typeof transition, 'guard' | 'target'> = transition
  const event = label.text === '' ? 'always' : label.text
  const to = target?.map((state) => state.id).join(', ') ?? '(stays)'
  return `${source.id}: ${event}${guard === undefined ? '' : ` [${guardName(guard)}]`} → ${to}`
}

function guardName(guard: unknown): string {
  if (typeof guard === 'string') return guard
  if (typeof guard === 'object' && guard !== null) {
    const { type, params } = guard as { type?: unknown; params?: unknown }
    return typeof params === 'object' ? `${String(type)} ${JSON.stringify(params)}` : String(type)
  }
  return 'condition'
}
