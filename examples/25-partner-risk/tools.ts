/** What the investigators may look things up in. Each tool belongs to the dimension of the risk that it is for. */
import { createTool, type Tool } from 'troupe'
import { z } from 'zod'

export const dimensions = ['financial', 'legal', 'reputational', 'operational'] as const

const inputSchema = z.object({ company: z.string() })

const source = (
  id: string,
  dimension: (typeof dimensions)[number],
  description: string,
  entry: object,
): Tool =>
  createTool({
    id,
    description,
    groups: [dimension],
    inputSchema,
    execute: ({ company }) => ({ company, ...entry }),
  })

export const tools = {
  figures: source('figures', 'financial', 'Balance sheets.', {
    source: 'annual report 2025',
    equityRatio: 0.41,
    debts: 900_000,
  }),
  registers: source('registers', 'legal', 'Filings, sanctions lists and lawsuits.', {
    source: 'commercial register',
    sanctions: 0,
    lawsuits: 1,
  }),
  headlines: source('headlines', 'reputational', 'What newspapers write.', {
    source: 'press archive',
    articles: 0,
  }),
  suppliers: source('suppliers', 'operational', 'Who delivers to whom.', {
    source: 'supply chain database',
    suppliers: 3,
    largestShare: 0.72,
  }),
}
