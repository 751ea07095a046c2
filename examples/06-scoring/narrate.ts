/** The events of a scored run, one a line: its type, and what it says. */
import type { Run, ScorerResult } from 'troupe'
import { row } from '../support/report.ts'

export async function narrate(run: Run): Promise<void> {
  for await (const { type, payload } of run.events) {
    switch (type) {
      case 'run-start':
        row(type, payload.task)
        break
      case 'iteration-start':
        console.log()
        row(type, `iteration ${payload.iteration}`)
        break
      case 'text-end':
        row(type, payload.text)
        break
      case 'scoring-start':
        row(type, payload.scorerIds.join(', '))
        break
      case 'scorer-result':
        row(type, verdict(payload))
        break
      case 'scoring-complete':
        row(type, payload.outcome)
        break
      case 'iteration-feedback':
        row(type, payload.message)
        break
      case 'iteration-end':
        row(type, payload.continue ? 'another iteration follows' : 'it was the last')
        break
      default:
    }
  }
}

function verdict({ id, passed, score, reason, error }: ScorerResult): string {
  if (error !== undefined) return `! ${id}: errored, ${error.message}`
  return `${passed ? '✓' : '✗'} ${id}: ${score?.toFixed(2)}${reason === undefined ? '' : ` (${reason})`}`
}
