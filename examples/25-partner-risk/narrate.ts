/** What is worth telling of a partner check while it is under way, and its result. */
import type { Run } from 'troupe'
import { row } from '../support/report.ts'
import { assessmentSchema } from './agents.ts'

export async function narrate(run: Run): Promise<void> {
  for await (const event of run.events) {
    switch (event.type) {
      case 'pattern-selected': {
        const { taskType, pattern } = event.payload
        console.log(`\nA task of the type "${taskType}", done as "${pattern}"`)
        break
      }
      case 'fan-out':
        for (const { goal, toolGroups = [] } of event.payload.goals) row(toolGroups.join(', '), goal)
        break
      case 'delegation-end': {
        const { agentName, outcome, text, error } = event.payload
        if (agentName === 'investigator') row(outcome, error?.message ?? text)
        break
      }
      case 'synthesis-start':
        row('synthesis', `without ${event.payload.missing.length} of the investigations`)
        break
      default:
    }
  }
}

export function showAssessment(text: string): void {
  const { verdict, dimensions } = assessmentSchema.parse(JSON.parse(text))
  console.log(verdict)
  for (const { dimension, risk, confidence, finding } of dimensions) {
    row(dimension, `${risk} (confidence ${confidence}): ${finding}`)
  }
}
