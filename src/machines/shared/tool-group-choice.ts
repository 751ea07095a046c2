/**
 * The groups of tools that a model chooses for a part of its task. The schema allows only the groups that its own
 * agent may pass on; without such groups it has no field for them.
 */
import { z } from 'zod'

export type Chosen = readonly string[] | null | undefined

export function groupsSchema(choices: readonly string[]) {
  return z
    .array(z.enum(choices))
    .nullable()
    .describe('Of which groups its agent may use tools, as few as it needs; null: of all')
}

/**
 * The chosen groups, to be spread into an object. An empty list counts as none: many models write it where they mean
 * to leave it out.
 */
export function chosenGroups(toolGroups: Chosen): { readonly toolGroups?: readonly string[] } {
  return toolGroups == null || toolGroups.length === 0 ? {} : { toolGroups }
}
