/** How a request is routed: each choice with what it was made from, what settled it, and why. */
import type { Run } from 'troupe'
import { row } from '../support/report.ts'

export async function narrate(run: Run): Promise<void> {
  for await (const { type, agent, path, payload } of run.events) {
    if (type === 'run-start') console.log(`\n"${payload.task}"`)
    if (type === 'pattern-selected') {
      for (const { subject, candidates, choice, criterion, rationale, fallback } of payload.decisions) {
        row(subject, `${choice}, of ${candidates.join(', ')}`, 9)
        const why = rationale ?? fallback
        row('', `settled by: ${criterion}${why === undefined ? '' : ` (${why})`}`, 9)
      }
      if (payload.terminationCriteria !== undefined) row('done when', payload.terminationCriteria, 9)
    }
    // The agent of the pattern is one delegation below the desk.
    if (type === 'text-end' && path.split('/').length === 3) row('answer', `${agent}: ${payload.text}`, 9)
  }
}
