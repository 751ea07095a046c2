/** A summary as text, for terminals and logs: the same order as on the page of the inspector. */
import { defaultsOf, oneOf, readOptions, withDefault, type Fields } from '../../kit/index.ts'
import type { Usage } from '../../index.ts'
import type { Summary, SummaryFailure, SummaryQuestion } from './summary.ts'
import { costText, TextPage, textFields, timeText } from './text-page.ts'
import { sentenceText } from './texts.ts'

/** The options of `summaryText`. */
export interface SummaryTextOptions {
  /** The most columns of a line: 40 or more. Longer lines are broken between words, and cells of tables are cut. Default: 100. */
  readonly width?: number
  /** With escape sequences for colours. Default: `false`. */
  readonly color?: boolean
  /** `why`: only how it ended and what went wrong. Default: `all`. */
  readonly part?: 'all' | 'why'
}

const fields = {
  ...textFields,
  part: withDefault(oneOf('all', 'why'), 'all'),
} satisfies Fields<SummaryTextOptions>

/** Returns the summary as text that ends with a line feed. Throws a `ConfigurationError` for a wrong option. */
export function summaryText(summary: Summary, options: SummaryTextOptions = {}): string {
  const { width, color, part } = {
    ...defaultsOf(fields),
    ...readOptions<SummaryTextOptions>(options, 'summaryText', fields),
  }
  const page = new TextPage(width, color)
  page.line(`${summary.agent}  ${summary.runId}`)
  page.line(`Task: ${summary.task.replaceAll('\n', ' ')}`)
  page.line()
  page.line(
    sentenceText(summary.ending),
    summary.outcome === undefined || summary.outcome === 'completed' ? 'strong' : 'bad',
  )
  for (const note of summary.notes) page.line(sentenceText(note))
  if (part === 'all' && summary.answer !== undefined) {
    page.title('Answer')
    for (const line of summary.answer.split('\n')) page.line(`  ${line}`)
  }
  page.list('What went wrong', summary.failures, summary.more['failures'], (failure) => [
    failure.entry,
    failureText(failure),
  ])
  if (part === 'why') {
    for (const missing of summary.missing) page.line(missing, 'faint')
    return page.text
  }
  page.list(
    'What hooks and people changed',
    summary.changes,
    summary.more['changes'],
    ({ entry, agent, hook, what, before, after }) => [
      entry,
      `${agent}, ${hook}: ${what}`,
      ...(before === undefined ? [] : [`before: ${before}`]),
      `after:  ${after}`,
    ],
  )
  page.list(
    'Choices',
    summary.choices,
    summary.more['choices'],
    ({ entry, agent, choice, candidates, reason }) => [
      entry,
      `${agent} chose ${choice} of ${candidates.join(', ')}`,
      `because: ${reason}`,
    ],
  )
  page.list('Scores', summary.scorings, summary.more['scorings'], ({ entry, agent, outcome, scores }) => [
    entry,
    `${agent}: ${outcome}: ${scores}`,
  ])
  page.list('Questions', summary.questions, summary.more['questions'], (question) => [
    question.askedAt ?? question.answer?.entry ?? 0,
    ...questionText(question),
  ])
  page.list('Under way', summary.underWay, summary.more['underWay'], ({ entry, agent, kind, since }) => [
    entry,
    `${agent}: ${kind}, since ${new Date(since).toISOString()}`,
  ])
  agentTable(page, summary)
  delegationTable(page, summary)
  for (const missing of summary.missing) page.line(missing, 'faint')
  return page.text
}

/** One failure in a line. */
function failureText({ kind, agent, subject, reason, code }: SummaryFailure): string {
  const named = code === undefined ? '' : ` (${code})`
  const isOutcome = kind === 'delegation' && code === undefined
  return `${agent}: ${isOutcome ? `the delegation to ${subject} ended` : failureWords[kind](subject)}: ${reason}${named}`
}

const failureWords: Readonly<Record<SummaryFailure['kind'], (subject: string) => string>> = {
  tool: (subject) => `the tool ${subject} failed`,
  delegation: (subject) => `the delegation to ${subject} failed`,
  rejection: (subject) => `the delegation to ${subject} was rejected`,
  denial: (subject) => `the call of ${subject} was denied`,
  model: () => 'the model call failed',
  hook: (subject) => `${subject} refused or failed`,
  step: (subject) => `the step ${subject} failed`,
  other: (subject) => subject,
}

/** A question and its answer, a line each. */
function questionText({ agent, subject, type, since, answer }: SummaryQuestion): readonly string[] {
  const asked = `${agent} asked for ${type === 'approval' ? 'approval of' : 'an answer to'} ${subject}`
  const when = since === undefined ? '' : ` since ${new Date(since).toISOString()}`
  if (answer === undefined) return [`${asked}: open${when}`]
  const { approved, by, note, reason, changed, entry } = answer
  const decision = type === 'approval' ? (approved ? 'approved' : 'denied') : approved ? 'answered' : 'denied'
  const who = by === undefined ? 'nobody is named' : `by ${by}`
  return [
    `${asked}: ${decision} at entry ${entry}, ${who}`,
    ...(reason === undefined ? [] : [`reason: ${reason}`]),
    ...(note === undefined ? [] : [`note: ${note}`]),
    ...(changed === undefined ? [] : [`arguments changed to ${changed.after}`]),
  ]
}

function agentTable(page: TextPage, { agents, total, currency }: Summary): void {
  if (agents.length === 0) return
  const cost = currency === undefined ? 'cost' : `cost ${currency}`
  const row = (
    name: string,
    calls: number,
    tools: number,
    usage: Usage,
    time: number,
    share: string,
    model = '',
  ) => [
    name,
    String(calls),
    String(tools),
    String(usage.inputTokens),
    String(usage.outputTokens),
    usage.cost === undefined ? '–' : costText(usage.cost),
    timeText(time),
    share,
    model,
  ]
  page.title('Agents')
  page.table(
    ['agent', 'calls', 'tools', 'in', 'out', cost, 'time', 'share', 'model'],
    [
      ...agents.map(({ agent, calls, toolCalls, usage, time, share, model }) =>
        row(agent, calls, toolCalls, usage, time, `${Math.round(share * 100)}%`, model),
      ),
      row('total', total.calls, total.toolCalls, total.usage, total.time, ''),
    ],
    [0, 8],
  )
}

function delegationTable(page: TextPage, { delegations, more, currency }: Summary): void {
  if (delegations.length === 0) return
  const cost = currency === undefined ? 'cost' : `cost ${currency}`
  page.title('Delegations')
  page.table(
    ['entry', 'from', 'to', 'outcome', 'time', 'calls', 'tokens', cost, 'prompt or reason'],
    delegations.map(({ entry, from, to, outcome, duration, calls, usage, prompt, reason }) => [
      String(entry),
      from,
      to,
      outcome ?? 'under way',
      duration === undefined ? '–' : timeText(duration),
      String(calls),
      String(usage.totalTokens),
      usage.cost === undefined ? '–' : costText(usage.cost),
      reason ?? prompt,
    ]),
    [1, 2, 3, 8],
  )
  const { delegations: left } = more
  if (left !== undefined) page.line(`  … ${left} more`, 'faint')
}
