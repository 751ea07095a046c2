/** A bookkeeper who looks at each of its own steps as a strict reviewer would. */
import { createReflexion, createTool, type ChatModel } from 'troupe'
import { z } from 'zod'

export function createEstimator(model: ChatModel) {
  return createReflexion({
    id: 'bookkeeper',
    instructions: 'You keep the books of a café. Estimate costs from the months that you look up.',
    model,
    tools: { expenses },
    maxSteps: 6,
    maxCritiques: 4,
  })
}

const spent: Readonly<Record<string, number>> = { January: 80, July: 140 }

const expenses = createTool({
  id: 'expenses',
  description: 'What was spent on coffee in a month, in euros.',
  inputSchema: z.object({ month: z.enum(['January', 'July']) }),
  execute: ({ month }) => ({ month, euros: spent[month] ?? 0 }),
})
