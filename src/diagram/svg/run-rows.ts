/** The rows of the sequence of a run, from its events. */
import { plural } from '../../errors/texts.ts'
import type { RunEvent } from '../../runtime/handle/run-event.ts'

export interface RunRow {
  /** Who speaks. */
  readonly from: string
  /** To whom; absent: a note at the line of the speaker. */
  readonly to?: string
  readonly text: string
  readonly look?: 'accent' | 'muted'
  /** An answer to something before. */
  readonly isReply?: boolean
}

/** The caller of a run: a person or a program. */
export const caller = 'caller'

/** What has no place in a row is cut before it is looked at. */
const longest = 300

export function rowsOfEvents(events: readonly RunEvent[]): readonly RunRow[] {
  return events.flatMap((event): readonly RunRow[] => {
    const { agent } = event
    const note = (text: string, look?: 'accent' | 'muted'): readonly RunRow[] => [
      { from: agent, text, ...(look === undefined ? {} : { look }) },
    ]
    switch (event.type) {
      case 'run-start':
        return [{ from: caller, to: agent, text: cut(event.payload.task) }]
      case 'run-finish':
        return [{ from: event.payload.by ?? agent, to: caller, text: endText(event.payload), isReply: true }]
      case 'delegation-start': {
        const { agentId, prompt } = event.payload
        return [{ from: agent, to: agentId, text: cut(prompt) }]
      }
      case 'delegation-end': {
        const { agentId, by } = event.payload
        return [{ from: by ?? agentId, to: agent, text: endText(event.payload), isReply: true }]
      }
      case 'delegation-rejected':
        return note(`${event.payload.agentName} is rejected: ${cut(event.payload.reason)}`, 'accent')
      case 'delegation-bail':
        return note(`bails with the answer of ${event.payload.agentName}`, 'accent')
      case 'delegation-feedback':
      case 'iteration-feedback':
        return note(`feedback: ${cut(event.payload.message)}`)
      case 'handoff': {
        const { from, to, reason } = event.payload
        return [
          {
            from,
            to,
            text: cut(reason === undefined ? 'hands off' : `hands off: ${reason}`),
            look: 'accent',
          },
        ]
      }
      case 'tool-call':
        return note(`${event.payload.toolName} ${inWords(event.payload.args)}`)
      case 'tool-result':
        return note(`${event.payload.toolName} → ${inWords(event.payload.result)}`, 'muted')
      case 'tool-error': {
        const { toolName, outcome, error } = event.payload
        return note(cut(`${toolName} ${outcome}${error === undefined ? '' : `: ${error.message}`}`), 'accent')
      }
      case 'tool-call-approval':
        return [
          {
            from: agent,
            to: caller,
            text: `asks: ${event.payload.toolName} ${inWords(event.payload.args)}`,
            look: 'accent',
          },
        ]
      case 'tool-call-suspended':
        return [
          {
            from: agent,
            to: caller,
            text: `asks: ${event.payload.toolName} ${inWords(event.payload.suspendPayload)}`,
            look: 'accent',
          },
        ]
      case 'tool-call-answered': {
        const { toolName, approved, by, reason, note } = event.payload
        const words = [
          `${approved ? 'yes' : 'no'}: ${toolName}`,
          by === undefined ? '' : `by ${by}`,
          reason ?? note ?? '',
        ]
        const text = cut(words.filter((word) => word !== '').join(', '))
        return [{ from: caller, to: agent, text, isReply: true }]
      }
      case 'said':
        return [{ from: caller, to: agent, text: cut(event.payload.message) }]
      case 'routing-decision':
        return note(`chooses ${event.payload.primitiveId}`)
      case 'pattern-selected':
        return note(`chooses ${event.payload.pattern}`)
      case 'plan-created':
        return note(`plans ${plural(event.payload.steps.length, 'step')}`)
      case 'plan-revised':
        return note(`plans anew: ${cut(event.payload.reason)}`)
      case 'scoring-complete':
        return note(`scoring: ${event.payload.outcome}`)
      case 'critique':
        return note(`critique: ${cut(event.payload.critique)}`)
      case 'budget-warning':
        return note(`budget: ${event.payload.used} of ${event.payload.max} ${event.payload.limit}`, 'accent')
      case 'abort':
        return note(`is cancelled: ${cut(event.payload.reason)}`, 'accent')
      case 'error':
        return note(cut(`error: ${event.payload.error.message}`), 'accent')
      default:
        return []
    }
  })
}

/** How a run or a delegation ended, in words. */
export function endText({ outcome, reason, text, error }: Ended): string {
  const words = [outcome, reason, text === '' ? error?.message : text]
  return cut(words.filter((word) => word !== undefined && word !== '').join(': '))
}

interface Ended {
  readonly outcome: string
  readonly text: string
  readonly reason?: string
  readonly error?: { readonly message: string }
}

export function inWords(value: unknown): string {
  return cut(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
}

export function cut(text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}…`
}
