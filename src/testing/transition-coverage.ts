/** Records which transitions of a machine were taken. */
import type { AnyStateMachine, StateNode } from 'xstate'

interface TransitionLike {
  readonly eventType?: unknown
  readonly guard?: unknown
  readonly target?: readonly { readonly id: string }[] | undefined
}

export interface TransitionCoverage {
  readonly total: number
  readonly covered: number
  /** `state: event [guard] → target` of each transition that was never taken. */
  readonly missing: readonly string[]
}

export class TransitionRecorder {
  readonly #labels = new Map<unknown, string>()
  readonly #taken = new Set<unknown>()

  constructor(machine: AnyStateMachine) {
    this.#collect(machine.root as StateNode)
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

  #collect(node: StateNode): void {
    const transitions = [...[...node.transitions.values()].flat(), ...(node.always ?? [])] as TransitionLike[]
    for (const transition of transitions) this.#labels.set(transition, label(node, transition))
    for (const child of Object.values(node.states)) this.#collect(child)
  }
}

function label(node: StateNode, { eventType, guard, target }: TransitionLike): string {
  const event = typeof eventType === 'string' && eventType !== '' ? eventType : 'always'
  const to = target?.map((state) => state.id).join(', ') ?? '(stays)'
  return `${node.id}: ${event}${guard === undefined ? '' : ` [${guardName(guard)}]`} → ${to}`
}

function guardName(guard: unknown): string {
  if (typeof guard === 'string') return guard
  if (typeof guard === 'object' && guard !== null) {
    const { type, params } = guard as { type?: unknown; params?: unknown }
    return typeof params === 'object' ? `${String(type)} ${JSON.stringify(params)}` : String(type)
  }
  return 'condition'
}
