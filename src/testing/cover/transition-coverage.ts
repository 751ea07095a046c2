/** Records which transitions of a machine were taken. */
import type { DirectedGraphEdge } from '@xstate/graph'
import type { AnyStateMachine } from 'xstate'
import { edgesOf, graphOf } from '../graph/graph-of.ts'

export interface TransitionCoverage {
  readonly total: number
  readonly covered: number
  /** `state: event [guard] → target` of each transition that was never taken. */
  readonly missing: readonly string[]
}

export class TransitionRecorder {
  readonly #labels: ReadonlyMap<unknown, string>
  readonly #taken = new Set<unknown>()

  constructor(machine: AnyStateMachine) {
    const edges = edgesOf(graphOf(machine))
    this.#labels = new Map(edges.map((edge) => [edge.transition, transitionLabel(edge)]))
  }

  take(transitions: readonly unknown[]): void {
    for (const transition of transitions) if (this.#labels.has(transition)) this.#taken.add(transition)
  }

  coverage(): TransitionCoverage {
    const missing = [...this.#labels]
      .filter(([transition]) => !this.#taken.has(transition))
      .map(([, label]) => label)
    return { total: this.#labels.size, covered: this.#taken.size, missing }
  }
}

function transitionLabel({ source, label, transition }: DirectedGraphEdge): string {
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
