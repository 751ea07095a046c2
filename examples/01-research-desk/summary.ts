/** The summary of a run: what each delegation and each scoring came to, tokens and outcome. */
import type { FinalResult, ScorerResult } from 'troupe'
import { callIn, type RunView } from 'troupe/view'
import { endInWords } from './words.ts'

/** `view`: of the run at its end. */
export function summarise(result: FinalResult, view: RunView): string {
  return [
    ...section('What the lead asked for', delegations(result, view)),
    ...section('How its answers were scored', scorings(result)),
    ...section('Tokens', tokens(result)),
    `Outcome: ${outcome(result)}`,
  ].join('\n')
}

export function scores(results: readonly ScorerResult[]): string {
  return results
    .map(({ id, score, passed, reason, error }) => {
      const value = score === undefined ? `no score: ${error?.message}` : score.toFixed(2)
      return `${id} ${value}${passed || reason === undefined ? '' : ` (${reason})`}`
    })
    .join(', ')
}

function outcome(result: FinalResult): string {
  const after = `after ${result.steps.length} iterations, ${result.delegations.length} delegations`
  switch (result.outcome) {
    case 'completed':
      return `completed ${after}`
    case 'failed':
      return `failed ${after}: ${result.error.message} (${result.error.code})`
    case 'bailed':
      return `bailed by ${result.by} ${after}`
    default:
      return `${result.outcome} ${after} (${result.reason})`
  }
}

/** One row each; the last column says what the hook did. */
function delegations({ delegations, steps }: FinalResult, view: RunView): string[][] {
  const asked = new Map(
    steps.flatMap(({ toolCalls }) =>
      toolCalls.map(({ id, args }) => [id, (args as { prompt?: string }).prompt]),
    ),
  )
  return delegations.map(({ id, agent, outcome, duration }) => [
    mark(outcome === 'succeeded'),
    agent,
    outcome === 'rejected'
      ? 'refused by the hook'
      : `${endInWords(outcome)} after ${(duration / 1000).toFixed(2)} s`,
    remark(view, id, asked.get(id)),
  ])
}

/** `asked`: the prompt before the hook. */
function remark(view: RunView, delegationId: string, asked: string | undefined): string {
  const delegation = callIn(view, delegationId)
  if (delegation?.type !== 'delegation') return ''
  const { reason = '', prompt = asked } = delegation
  if (asked === undefined || prompt === undefined || asked === prompt) return reason
  return `the hook changed the prompt: ${change(asked, prompt)}`
}

function change(before: string, after: string): string {
  return after.startsWith(before) ? `… ${after.slice(before.length).trim()}` : after
}

function scorings({ scores: all }: FinalResult): string[][] {
  return all.map(({ iteration, outcome, results }) => [
    mark(outcome === 'passed'),
    `iteration ${iteration}`,
    outcome,
    scores(results),
  ])
}

function mark(isGood: boolean): string {
  return isGood ? '✓' : '✗'
}

function tokens({ usage }: FinalResult): string[][] {
  const rows = Object.entries({ ...usage.byAgent, total: usage })
  return rows.map(([agent, { inputTokens, outputTokens }]) => [
    agent,
    `${inputTokens} in`,
    `${outputTokens} out`,
  ])
}

function section(title: string, rows: readonly string[][]): string[] {
  if (rows.length === 0) return []
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  const line = (row: readonly string[]) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`
  return [title, ...rows.map((row) => line(row).trimEnd()), '']
}
