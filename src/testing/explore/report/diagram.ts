/** The events of a run as a Mermaid sequence diagram: a participant for each agent, an arrow for each delegation and tool call. */
import { answeredWith, ownOutcome } from '../../../machines/contract/subagent-outcome.ts'
import type { RunEvent } from '../../../runtime/handle/run-event.ts'
import { agentAt, parentPath } from '../../../actors/actor-path.ts'

/** `end`: the text of the last note. */
export function sequenceDiagram(events: readonly RunEvent[], end: string): string {
  const root = events[0]?.agent ?? 'run'
  const lines = events.flatMap((event) => lineOf(event))
  return ['sequenceDiagram', ...lines, `Note over ${root}: ✗ ${plain(end)}`].join('\n  ')
}

/** The steps of a machine as a Mermaid sequence diagram. */
export function stepsDiagram(machine: string, steps: readonly string[], end: string): string {
  const notes = [...steps.map(plain), `✗ ${plain(end)}`].map((text) => `Note over ${machine}: ${text}`)
  return ['sequenceDiagram', ...notes].join('\n  ')
}

function lineOf(event: RunEvent): readonly string[] {
  const { agent } = event
  switch (event.type) {
    case 'run-start':
      return [`Note over ${agent}: ${plain(event.payload.task)}`]
    case 'step-start':
      return [`Note over ${agent}: step ${event.payload.step}`]
    case 'delegation-start':
      return [`${agent}->>${event.payload.agentId}: ${plain(event.payload.prompt)}`]
    case 'delegation-end':
      return [`${event.payload.agentId}-->>${agentAt(parentPath(event.path))}: ${endsOf(event.payload)}`]
    case 'delegation-rejected':
      return [`Note over ${agent},${event.payload.agentId}: rejected: ${plain(event.payload.reason)}`]
    case 'delegation-bail':
      return [`Note over ${agent},${event.payload.agentId}: bail`]
    case 'tool-call':
      return [`${agent}->>${event.payload.toolName}: ${plain(JSON.stringify(event.payload.args))}`]
    case 'tool-result':
      return [`${event.payload.toolName}-->>${agent}: ${plain(JSON.stringify(event.payload.result))}`]
    case 'tool-error':
      return [`${event.payload.toolName}-->>${agent}: ${event.payload.outcome}`]
    case 'tool-call-approval':
      return [`Note over ${agent}: ${event.payload.toolName} awaits approval`]
    case 'handoff':
      return [`${event.payload.from}->>${event.payload.to}: hands off`]
    case 'abort':
      return [`Note over ${agent}: cancelled: ${plain(event.payload.reason)}`]
    case 'run-finish':
      return [`Note over ${agent}: ${event.payload.outcome}`]
    default:
      return []
  }
}

/** How the subagent ended, and what became of its delegation where that is another fact. */
function endsOf(payload: Extract<RunEvent, { type: 'delegation-end' }>['payload']): string {
  const own = ownOutcome(payload)
  const given = answeredWith(payload)
  return own === given ? own : `${own}, its delegation ${given}`
}

const longest = 80

/** A text that Mermaid reads as one label. */
function plain(text: string): string {
  const line = text.replaceAll(/[\n;#]+/g, ' ')
  return line.length > longest ? `${line.slice(0, longest)}…` : line
}
