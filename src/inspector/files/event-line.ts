/** An event as one line: the words in it that tell it from others of its type. */
import type { RunEvent } from '../../runtime/handle/run-event.ts'
import { lineOf, oneLine } from './one-line.ts'

export function eventLine(event: RunEvent): string {
  return oneLine(wordsOf(event))
}

function wordsOf(event: RunEvent): string {
  switch (event.type) {
    case 'run-start':
      return event.payload.task
    case 'run-finish':
      return joined(event.payload.outcome, event.payload.error?.message ?? event.payload.text)
    case 'text-delta':
    case 'reasoning-delta':
    case 'text-end':
    case 'reasoning-end':
    case 'tool-call-delta':
      return event.payload.text
    case 'step-start':
      return `step ${event.payload.step}`
    case 'step-finish':
      return joined(`step ${event.payload.step}`, event.payload.finishReason)
    case 'tool-call':
    case 'tool-call-approval':
      return joined(event.payload.toolName, lineOf(event.payload.args))
    case 'tool-result':
      return joined(event.payload.toolName, lineOf(event.payload.result))
    case 'tool-error':
      return joined(event.payload.toolName, event.payload.outcome, event.payload.error?.message)
    case 'tool-state':
      return `${event.payload.previousState} → ${event.payload.state}`
    case 'tool-call-suspended':
      return joined(event.payload.toolName, lineOf(event.payload.suspendPayload))
    case 'tool-progress':
      return joined(event.payload.toolName, lineOf(event.payload.value))
    case 'tool-call-answered':
      return answered(event)
    case 'said':
      return event.payload.message
    case 'say-refused':
      return event.payload.code
    case 'delegation-start':
      return joined(event.payload.agentName, event.payload.prompt)
    case 'delegation-end':
      return joined(
        event.payload.agentName,
        event.payload.subagentOutcome,
        event.payload.outcome,
        event.payload.error?.message ?? event.payload.text,
      )
    case 'delegation-feedback':
      return joined(event.payload.agentName, event.payload.message)
    case 'delegation-rejected':
      return joined(event.payload.agentName, event.payload.reason)
    case 'delegation-bail':
      return event.payload.agentName
    case 'iteration-start':
    case 'iteration-end':
      return `iteration ${event.payload.iteration}`
    case 'iteration-feedback':
      return event.payload.message
    case 'scoring-start':
      return event.payload.scorerIds.join(', ')
    case 'scoring-complete':
      return event.payload.outcome
    case 'critique':
      return event.payload.critique
    case 'routing-decision':
      return joined(event.payload.primitiveId, event.payload.selectionReason)
    case 'plan-step-start':
      return joined(event.payload.stepId, event.payload.goal)
    case 'plan-step-end':
      return joined(event.payload.stepId, event.payload.status)
    case 'abort':
      return event.payload.reason
    case 'error':
      return event.payload.error.message
    case 'suspended':
      return event.payload.awaiting.map(({ toolName }) => toolName).join(', ')
    case 'heard':
    case 'resumed':
    case 'text-start':
    case 'reasoning-start':
      return ''
    case 'handoff':
    case 'scorer-result':
    case 'pattern-selected':
    case 'plan-created':
    case 'plan-revised':
    case 'fan-out':
    case 'fan-in':
    case 'synthesis-start':
    case 'background-start':
    case 'background-end':
    case 'compaction-start':
    case 'compaction-end':
    case 'drift':
    case 'budget-warning':
      return lineOf(event.payload)
  }
}

function answered({ payload }: Extract<RunEvent, { type: 'tool-call-answered' }>): string {
  const decision = payload.type === 'approval' ? (payload.approved ? 'approved' : 'denied') : 'answered'
  const by = payload.by === undefined ? undefined : `by ${payload.by}`
  return joined(payload.toolName, decision, by, payload.reason ?? lineOf(payload.data))
}

/** The words that there are, with spaces between. */
function joined(...words: readonly (string | undefined)[]): string {
  return words.filter((word) => word !== undefined && word !== '').join(' ')
}
