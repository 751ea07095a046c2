/** A machine with the states and transitions of a chart, to be drawn: it has no code, and is never run. */
import type { Chart, ChartState, ChartTransition } from '../../index.ts'
import { createMachine, type AnyStateMachine } from 'xstate'

interface StateConfig {
  readonly [field: string]: unknown
}

export function machineOf(chart: Chart): AnyStateMachine {
  return createMachine({ id: chart.id, ...stateConfig(chart, chart.id) })
}

function stateConfig(state: ChartState, machine: string): StateConfig {
  const { type, description, initial, invokes, transitions, states } = state
  const own = transitions.map((transition) => ({
    event: transition.event,
    config: transitionConfig(transition, machine),
  }))
  const heard = Map.groupBy(own, ({ event }) => event)
  const always = heard.get(undefined) ?? []
  heard.delete(undefined)
  return {
    ...(type === 'atomic' || type === 'compound' ? {} : { type }),
    ...(description === undefined ? {} : { description }),
    ...(initial === undefined ? {} : { initial: nameIn(state, initial) }),
    ...(invokes.length === 0 ? {} : { invoke: invokes.map(({ id, source }) => ({ id, src: source })) }),
    on: Object.fromEntries(Array.from(heard, ([event, list]) => [event, list.map(({ config }) => config)])),
    ...(always.length === 0 ? {} : { always: always.map(({ config }) => config) }),
    states: Object.fromEntries(states.map((inner) => [inner.name, stateConfig(inner, machine)])),
  }
}

function transitionConfig({ guard, targets, actions, description }: ChartTransition, machine: string) {
  return {
    ...(guard === undefined ? {} : { guard }),
    ...(targets.length === 0 ? {} : { target: targets.map((target) => targetOf(target, machine)) }),
    ...(actions.length === 0 ? {} : { actions: [...actions] }),
    ...(description === undefined ? {} : { description }),
  }
}

function targetOf(path: string, machine: string): string {
  return path === '' ? `#${machine}` : `#${machine}.${path}`
}

/** The name of the state inside `state` that a path leads to or through. */
function nameIn({ path }: ChartState, inner: string): string {
  const rest = path === '' ? inner : inner.slice(path.length + 1)
  return rest.split('.', 1)[0] ?? rest
}
