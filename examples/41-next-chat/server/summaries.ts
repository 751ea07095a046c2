/** The runs of a visitor as pages of text. Another visitor gets none of them. */
import { summarise, summaryText } from 'troupe/view'
import { troupe } from './bureau.ts'

interface RunSummary {
  readonly runId: string
  readonly text: string
}

export async function summariesOf(visitor: string): Promise<readonly RunSummary[]> {
  const { items } = await troupe.runs({ resourceId: visitor })
  return Promise.all(
    items.map(async ({ runId }) => {
      const { entries } = await troupe.trail(runId)
      return { runId, text: summaryText(summarise(entries), { width: 72 }) }
    }),
  )
}
