/** What was decided in a run, and how answers were scored. */
import type { RunEvent } from '../../index.ts'
import type { SummaryChoice, SummaryScoring } from './summary.ts'
import { lineOf, nameOf } from './texts.ts'

type Of<Type extends RunEvent['type']> = Extract<RunEvent, { readonly type: Type }>

/** `most`: candidates of a choice. */
export function choicesOf(
  entry: number,
  event: Of<'routing-decision' | 'pattern-selected'>,
  most: number,
): readonly SummaryChoice[] {
  const { agent, path } = event
  if (event.type === 'routing-decision') {
    const { primitiveId, candidates, selectionReason } = event.payload
    const names = candidates.map((candidate) => nameOf(candidate.primitiveId))
    const reason = lineOf(selectionReason)
    return [{ entry, agent, path, choice: nameOf(primitiveId), candidates: names, reason }]
  }
  return event.payload.decisions.map(({ choice, candidates, criterion, rationale, fallback }) => ({
    entry,
    agent,
    path,
    choice: nameOf(choice),
    candidates: candidates.slice(0, most).map(nameOf),
    reason: lineOf(rationale ?? fallback ?? criterion),
  }))
}

export function scoringOf(entry: number, { agent, path, payload }: Of<'scoring-complete'>): SummaryScoring {
  const scores = payload.results.map(({ id, score, passed, reason, error }) => {
    const given = score === undefined ? (error?.message ?? 'no score') : score.toFixed(2)
    return `${id} ${given}${passed || reason === undefined ? '' : ` (${reason})`}`
  })
  return { entry, agent, path, outcome: payload.outcome, scores: lineOf(scores.join(', ')) }
}
