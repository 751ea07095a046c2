/** The charts of a troupe as data: those of its agents, and those of the machines that workflows run. */
import { chartOf, isMachine, withMachinesBelow, type Chart } from '../../actors/charts/chart.ts'
import type { AnyStateMachine } from 'xstate'
import type { AgentDefinition } from '../definition/definition.ts'
import type { AgentRegistry } from '../definition/registry.ts'

/** `more`: machines that the runs have besides those of their agents. */
export function chartsOf(registry: AgentRegistry, more: readonly AnyStateMachine[] = []): readonly Chart[] {
  const agents = [...registry.keys()].flatMap((id) => registry.versionsOf(id))
  const machines = [...agents.map(({ chart }) => chart()), ...more, ...agents.flatMap(workflowMachines)]
  const known = new Map(machines.flatMap(withMachinesBelow).map((machine) => [machine.config, machine]))
  return Array.from(known.values(), chartOf)
}

function workflowMachines({ tools }: AgentDefinition): readonly AnyStateMachine[] {
  return Object.values(tools).flatMap((tool) =>
    'logic' in tool && isMachine(tool.logic) ? [tool.logic] : [],
  )
}
