/** What the tree of a run shows of an event, beside its line: names, decisions and scores. */
import type { RunEvent } from '../../index.ts'
import type { RowChoice, RowEvent, RowScore } from '../wire/rows.ts'
import { oneLine } from './one-line.ts'

/** Candidates of a decision, and scores of a scoring: more are left out. */
const most = 20

type Facts = Pick<RowEvent, 'name' | 'choices' | 'scores'>

export function eventFacts(event: RunEvent): Facts {
  switch (event.type) {
    case 'tool-call':
    case 'tool-call-approval':
    case 'tool-call-suspended':
      return { name: oneLine(event.payload.toolName) }
    case 'delegation-start':
    case 'delegation-rejected':
      return { name: oneLine(event.payload.agentName) }
    case 'routing-decision': {
      const { primitiveId, candidates, selectionReason, criterion } = event.payload
      const names = candidates.map((candidate) => candidate.primitiveId)
      const isGiven = criterion === 'onlyCandidate'
      return { choices: [choiceOf(primitiveId, names, selectionReason, isGiven)] }
    }
    case 'pattern-selected': {
      const { decisions } = event.payload
      return {
        choices: decisions.slice(0, most).map(({ choice, candidates, criterion, rationale, fallback }) => {
          const isAsked = rationale !== undefined || fallback !== undefined
          return choiceOf(choice, candidates, rationale ?? fallback ?? criterion, !isAsked)
        }),
      }
    }
    case 'scoring-complete':
      return { scores: event.payload.results.slice(0, most).map(scoreOf) }
    default:
      return {}
  }
}

function choiceOf(
  choice: string,
  candidates: readonly string[],
  reason: string,
  isGiven: boolean,
): RowChoice {
  return {
    choice: oneLine(choice),
    candidates: candidates.slice(0, most).map(oneLine),
    reason: oneLine(reason),
    ...(isGiven ? { isGiven } : {}),
  }
}

type Scored = Extract<RunEvent, { readonly type: 'scoring-complete' }>['payload']['results'][number]

function scoreOf({ id, score, passed, reason, error }: Scored): RowScore {
  const words = reason ?? error?.message
  return {
    id: oneLine(id),
    ...(score === undefined ? {} : { score }),
    passed,
    ...(words === undefined ? {} : { reason: oneLine(words) }),
  }
}
