/** The rounds of a fan-out: what was asked of whom, what came of it, and what is missing. */
import type { Run } from 'troupe'
import { row } from '../support/report.ts'

export async function narrate(run: Run): Promise<void> {
  for await (const event of run.events) {
    switch (event.type) {
      case 'fan-out': {
        const { round, correlationId, goals } = event.payload
        console.log(`\nRound ${round}, as ${correlationId.slice(run.id.length + 1)}`)
        for (const { id, agentName, goal } of goals) row(short(id), `to ${agentName}: ${goal}`)
        break
      }
      case 'delegation-end':
        row(short(event.path), `${event.payload.outcome}: ${event.payload.text}`)
        break
      case 'delegation-rejected':
        row(short(event.path), `rejected: ${event.payload.reason}`)
        break
      case 'synthesis-start': {
        const { missing } = event.payload
        row('synthesis', missing.length === 0 ? 'of all results' : `without ${missing.map(short).join(', ')}`)
        break
      }
      default:
    }
  }
}

function short(childId: string): string {
  return childId.slice(childId.indexOf('/') + 1)
}
