/** One line for an event that a page would show. */
import type { RunEvent } from 'troupe'
import { visibleJson } from 'troupe/view'

export function show(event: RunEvent): void {
  const line = lineOf(event)
  if (line !== undefined) console.log(`  ${String(event.seq).padStart(2)}  ${event.agent.padEnd(8)} ${line}`)
}

function lineOf(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'run-start':
      return 'starts'
    case 'delegation-start':
      return `asks the ${event.payload.agentId}`
    case 'tool-result':
      return `has called ${event.payload.toolName}`
    case 'tool-call-approval':
      return `asks a person: ${event.payload.toolName} ${visibleJson(event.payload.args)}?`
    case 'run-finish':
      return `is ${event.payload.outcome}`
    default:
      return undefined
  }
}
