/** Tools that belong to groups and states, and what a model was offered of them. */
import { createTool, type Tool } from 'troupe'
import type { ScriptedModel } from 'troupe/testing'
import { z } from 'zod'

interface Given {
  readonly groups?: readonly string[]
  readonly applicableStates?: readonly string[]
  readonly nextState?: string
  readonly requireApproval?: boolean
  readonly background?: boolean
  readonly execute?: (execution: {
    readonly suspend: (payload: unknown) => never
    readonly resumeData: unknown
  }) => unknown
}

/** A tool without arguments that gives "<id> done". */
export function tool(id: string, { execute, ...given }: Given = {}): Tool {
  return createTool({
    id,
    description: `Does ${id}.`,
    inputSchema: z.object({}),
    ...given,
    execute: (_, execution) => execute?.(execution) ?? `${id} done`,
  })
}

export function tools<const Id extends string>(given: Readonly<Record<Id, Given>>): Record<string, Tool> {
  return Object.fromEntries(Object.entries<Given>(given).map(([id, more]) => [id, tool(id, more)] as const))
}

/** The names of what a model was offered in its call of this number, from 1. */
export function offered(model: ScriptedModel, call: number): readonly string[] {
  const recorded = model.calls[call - 1]
  if (recorded === undefined) throw new Error(`There was no call ${call} of "${model.modelId}".`)
  return recorded.request.tools.map(({ name }) => name)
}
