/** The transitions of a machine as texts. */
import type { DirectedGraphEdge } from '@xstate/graph'
import type { AnyStateMachine } from 'xstate'
import { edgesOf, graphOf } from './graph-of.ts'

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
