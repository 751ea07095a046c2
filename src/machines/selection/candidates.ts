/** The candidates of a routing agent: the agents, workflows and tools on offer, by their keys. */
import type { Toolset } from '../../actors/toolset/toolset.ts'
import type { Primitive } from '../contract/events.ts'

/** The task is done, or needs none of the others. */
export const done: Primitive = { primitiveId: 'none', primitiveType: 'none' }

export function primitivesOf({ subagents, tools }: Toolset): Primitive[] {
  return [
    ...Array.from(subagents.keys(), (key) => ({ primitiveId: key, primitiveType: 'agent' as const })),
    ...Array.from(tools, ([name, { isWorkflow }]) => ({
      primitiveId: name,
      primitiveType: isWorkflow === true ? ('workflow' as const) : ('tool' as const),
    })),
  ]
}

/** One line for each candidate, with its description and the schema of its input. */
export function describePrimitives({ subagents, tools }: Toolset): string {
  const agents = Array.from(subagents, ([key, { description }]) => `- agent "${key}": ${description}`)
  const others = Array.from(
    tools,
    ([name, { description, parameters, isWorkflow }]) =>
      `- ${isWorkflow === true ? 'workflow' : 'tool'} "${name}": ${description} Its input fits ${JSON.stringify(parameters)}`,
  )
  return [...agents, ...others].join('\n')
}

export function nameOf({ primitiveType, primitiveId }: Primitive): string {
  return `${primitiveType} "${primitiveId}"`
}

export function isSame(a: Primitive, b: Primitive): boolean {
  return a.primitiveType === b.primitiveType && a.primitiveId === b.primitiveId
}
