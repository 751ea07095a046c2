/**
 * A partner check: a meta-router that chooses among the ways in which its agents work. What the specification of
 * TrustGraph calls `supervisor` is a fan-out here: it divides the question, and gives each goal its own tools.
 */
import {
  createAgent,
  createFanOut,
  createMetaRouter,
  createPlanner,
  type ChatModel,
  type OutputProcessor,
} from 'troupe'
import { z } from 'zod'
import { dimensions, tools } from './tools.ts'

export const assessmentSchema = z.object({
  verdict: z.string(),
  dimensions: z.array(
    z.object({
      dimension: z.enum(dimensions),
      risk: z.enum(['low', 'medium', 'high', 'unknown']),
      confidence: z.number().min(0).max(1),
      finding: z.string(),
    }),
  ),
})

/** What nobody can look up does not reach the assessment. */
const needsSource: OutputProcessor = {
  id: 'needs-source',
  processOutput: ({ text, toolCalls, abort }) => {
    if (toolCalls.length === 0 && !text.includes('[source: ')) abort('The finding names no source.')
  },
}

export function createPartnerCheck(model: ChatModel) {
  const investigator = createAgent({
    id: 'investigator',
    description: 'Looks into one dimension of a risk, with the tools of that dimension.',
    instructions: 'You are an investigator. Look it up, and end each finding with its source: [source: …].',
    model,
    tools,
    outputProcessors: [needsSource],
  })
  const team = createFanOut({
    id: 'team',
    description: 'Investigates several dimensions side by side.',
    instructions: 'You lead a team of investigators. Say how sure you are of each dimension.',
    model,
    agents: { investigator },
    maxGoals: 4,
    maxRounds: 1,
    structuredOutput: { schema: assessmentSchema },
  })
  const planner = createPlanner({
    id: 'planner',
    description: 'Investigates one step after the other.',
    instructions: 'You plan an investigation.',
    model,
    agents: { investigator },
  })
  return createMetaRouter({
    id: 'partner-check',
    instructions: 'You receive questions about companies.',
    model,
    // By the names of the patterns that they stand for. Task types and patterns are those of the specification.
    agents: { react: investigator, 'plan-then-execute': planner, supervisor: team },
    toolGroups: dimensions,
  })
}
