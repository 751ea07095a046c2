/** A summary as text, for terminals and logs: the same order as on the page of the inspector. */
import { aBoolean, defaultsOf, is, readOptions, withDefault, type Fields } from '../../kit/index.ts'
import type { Usage } from '../../index.ts'
import type { Summary, SummaryFailure, SummaryQuestion } from './summary.ts'
import { sentenceText } from './texts.ts'

/** The options of `summaryText`. */
export interface SummaryTextOptions {
  /** The most columns of a line: 40 or more. Longer lines are broken between words, and cells of tables are cut. Default: 100. */
  readonly width?: number
  /** With escape sequences for colours. Default: `false`. */
  readonly color?: boolean
}

const aWidth = is('a whole number of 40 or more', (given) => Number.isInteger(given) && Number(given) >= 40)

const fields = {
  width: withDefault(aWidth, 100),
  color: withDefault(aBoolean, false),
} satisfies Fields<SummaryTextOptions>

/** Returns the summary as text that ends with a line feed. Throws a `ConfigurationError` for a wrong option. */
export function summaryText(summary: Summary, options: SummaryTextOptions = {}): string {
  const { width, color } = {
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
  if (summary.answer !== undefined) {
    page.title('Answer')
    for (const line of summary.answer.split('\n')) page.line(`  ${line}`)
  }
  page.list('What went wrong', summary.failures, summary.more['failures'], (failure) => [
    failure.entry,
    failureText(failure),
  ])
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
  page.list('Under way', summary.underWay, 0, ({ entry, agent, kind, since }) => [
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
function questionText({ agent, subject, type, answer }: SummaryQuestion): readonly string[] {
  const asked = `${agent} asked for ${type === 'approval' ? 'approval of' : 'an answer to'} ${subject}`
  if (answer === undefined) return [`${asked}: open`]
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

/** Of money: two digits that count, and cents from 1 on. */
function costText(cost: number): string {
  return cost === 0 || cost >= 1 ? cost.toFixed(2) : String(Number(cost.toPrecision(2)))
}

/** `12 ms`, `1.5 s`, `3 min 4 s`. */
function timeText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`
}

type Look = 'strong' | 'bad' | 'faint' | 'title'

const codes: Readonly<Record<Look, string>> = { strong: '1', bad: '31', faint: '2', title: '1;4' }

/** Lines of at most so many columns. */
class TextPage {
  readonly #width: number
  readonly #color: boolean
  readonly #lines: string[] = []

  constructor(width: number, color: boolean) {
    this.#width = width
    this.#color = color
  }

  get text(): string {
    return `${this.#lines.join('\n')}\n`
  }

  /** A line that is longer is broken between words, and goes on two columns further in. */
  line(text = '', look?: Look): void {
    for (const line of broken(text, this.#width)) this.#lines.push(this.#looking(line.trimEnd(), look))
  }

  title(text: string): void {
    this.line()
    this.line(text, 'title')
  }

  /** Items with their entries; the lines of an item stand below one another. */
  list<Item>(
    title: string,
    items: readonly Item[],
    more: number | undefined,
    lines: (item: Item) => readonly [number, ...string[]],
  ): void {
    if (items.length === 0) return
    this.title(title)
    for (const item of items) {
      const [entry, first = '', ...others] = lines(item)
      const head = `  entry ${entry}  `
      this.line(head + first)
      for (const other of others) this.line(' '.repeat(head.length) + other)
    }
    if (more !== undefined && more > 0) this.line(`  … ${more} more`, 'faint')
  }

  /** `left`: the columns of words; those of numbers stand to the right. The last column is cut where a row is too long. */
  table(head: readonly string[], rows: readonly (readonly string[])[], left: readonly number[]): void {
    const all = [head, ...rows]
    const most = Math.max(8, Math.floor(this.#width / 4))
    const last = head.length - 1
    const widths = head.map((_, column) => Math.max(...all.map((row) => widthOf(row[column] ?? ''))))
    const shown = widths.map((width, column) => (column === last ? width : Math.min(width, most)))
    all.forEach((row, index) => {
      const cells = row.map((cell, column) => {
        const width = shown[column] ?? 0
        const text = column === last ? cell : shortened(cell, width)
        const space = ' '.repeat(Math.max(0, width - widthOf(text)))
        return left.includes(column) ? text + space : space + text
      })
      const line = shortened(`  ${cells.join('  ')}`.trimEnd(), this.#width)
      this.#lines.push(this.#looking(line, index === 0 ? 'faint' : undefined))
    })
  }

  #looking(text: string, look: Look | undefined): string {
    return !this.#color || look === undefined || text === '' ? text : `\u001B[${codes[look]}m${text}\u001B[0m`
  }
}

function broken(text: string, width: number): string[] {
  if (widthOf(text) <= width) return [text]
  const indent = ' '.repeat(Math.min(/^ */.exec(text)?.[0].length ?? 0, Math.floor(width / 2)) + 2)
  const lines: string[] = []
  let rest = text
  while (widthOf(rest) > width) {
    const end = fitting(rest, width)
    const space = rest.lastIndexOf(' ', end)
    const at = space > indent.length + width / 3 ? space : end
    lines.push(rest.slice(0, at))
    rest = indent + rest.slice(at).trimStart()
  }
  return [...lines, rest]
}

function shortened(text: string, width: number): string {
  return widthOf(text) <= width ? text : `${text.slice(0, fitting(text, width - 1))}…`
}

/** The number of characters that fit. */
function fitting(text: string, width: number): number {
  let columns = 0
  let at = 0
  for (const character of text) {
    columns += columnsOf(character)
    if (columns > width) break
    at += character.length
  }
  return Math.max(1, at)
}

function widthOf(text: string): number {
  let columns = 0
  for (const character of text) columns += columnsOf(character)
  return columns
}

const wide =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|\p{Extended_Pictographic}/u

/** A terminal gives two columns to the letters of East Asia, and to pictures; none to a mark that stands on a letter. */
function columnsOf(character: string): number {
  if (character <= '~') return 1
  if (/\p{M}/u.test(character)) return 0
  return wide.test(character) ? 2 : 1
}
