/**
 * The groups of tools that a model gives to a part of its task: chosen among those that its own agent may give, in a shape
 * that holds no others. Where there is nothing to choose, the shape is without them.
 */
import { z } from 'zod'

export type Chosen = readonly string[] | null | undefined

export function groupsSchema(choices: readonly string[]) {
  return z
    .array(z.enum(choices))
    .nullable()
    .describe('Of which groups its agent may use tools, as few as it needs; null: of all')
}

/** What was chosen: a part to spread. A list of nothing is what many models write where they mean to leave it out. */
export function chosenGroups(toolGroups: Chosen): { readonly toolGroups?: readonly string[] } {
  return toolGroups == null || toolGroups.length === 0 ? {} : { toolGroups }
}
