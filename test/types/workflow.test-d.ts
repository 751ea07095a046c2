/** What of workflows must, and must not, compile. */
import { fromPromise } from 'xstate'
import { createWorkflow, type Workflow } from 'troupe'
import { z } from 'zod'

const logic = fromPromise<{ total: number }, { item: string }>(async ({ input }) => ({
  total: input.item.length,
}))
const common = { id: 'order', description: 'Orders.' }

export const order: Workflow<{ total: number }> = createWorkflow({
  ...common,
  inputSchema: z.object({ item: z.string() }),
  logic,
})

// @ts-expect-error the logic takes an item
createWorkflow({ ...common, inputSchema: z.object({ name: z.string() }), logic })
// @ts-expect-error logic is required
createWorkflow({ ...common, inputSchema: z.object({}) })
