/** An explanation as lines for people. */
import { type Fields, defaultsOf, positiveInteger, readOptions, withDefault } from '../../kit/index.ts'
import type { Choice, Explanation, Reason } from './explanation.ts'

/** The options of `formatExplanation`. */
export interface FormatOptions {
  /** The most characters of a text that are shown. Default: 100. */
  readonly width?: number
}

const fields = { width: withDefault(positiveInteger, 100) } satisfies Fields<FormatOptions>

/**
 * Formats an explanation, last steps first; the work of a subagent is below its completion. Throws a
 * `ConfigurationError` for a wrong option.
 */
export function formatExplanation(explanation: Explanation, options: FormatOptions = {}): string {
  const read = readOptions<FormatOptions>(options, 'formatExplanation', fields)
  const { width } = { ...defaultsOf(fields), ...read }
  return explanationLines(explanation, width).join('\n')
}

function explanationLines(explanation: Explanation, width: number): string[] {
  const { agent, outcome = 'not ended', askedBy } = explanation
  return [
    `${agent} (${outcome})`,
    ...indented(reasonsOf(explanation, width)),
    ...(askedBy === undefined ? [] : ['asked by', ...indented(explanationLines(askedBy, width))]),
  ]
}

function reasonsOf({ reasons, answer }: Explanation, width: number): string[] {
  const byUri = new Map(reasons.map((reason) => [reason.uri, reason]))
  return reasons.flatMap((reason) => {
    const { kind, text, choices, delegation, missing, toolGroups } = reason
    const isRepeated = kind === 'iteration' && text === answer
    if (kind === 'choice') return choices.map((choice) => `chose ${choiceLine(choice, width)}`)
    return [
      nameOf(reason) + quoted(isRepeated ? '' : text, width),
      ...indented(choices.map((choice) => choiceLine(choice, width))),
      ...indented(toolGroups === undefined ? [] : [`tools of ${toolGroups.join(', ')}`]),
      ...indented(missing.map((uri) => `without ${missingName(uri, byUri.get(uri))}`)),
      ...(delegation === undefined ? [] : indented(reasonsOf(delegation, width))),
    ]
  })
}

function nameOf({ kind, agent, outcome, successor }: Reason): string {
  if (kind === 'handoff') return `handoff from ${agent} to ${successor}`
  const whose = agent === undefined ? '' : ` of ${agent}`
  return `${kind}${whose}${outcome === undefined ? '' : ` (${outcome})`}`
}

function missingName(uri: string, reason: Reason | undefined): string {
  if (reason === undefined) return uri
  return reason.agent === undefined ? `"${reason.text}"` : `${reason.agent} (${reason.outcome})`
}

function choiceLine(choice: Choice, width: number): string {
  const { subject, options, chosen, criterion, rationale, fallback } = choice
  const words = rationale ?? fallback ?? ''
  return `${subject}: ${chosen.join(', ') || 'none'}, of ${options.join(' | ') || 'nothing'} (${criterion}${quoted(words, width)})`
}

/** The text on one line, cut at `width` characters. */
function quoted(text: string, width: number): string {
  const line = text.trim().replaceAll(/\s+/g, ' ')
  if (line === '') return ''
  if (line.length <= width) return `: "${line}"`
  const shown = `${line.slice(0, Math.max(0, width - 1)).replace(/[\uD800-\uDBFF]$/, '')}…`
  return `: "${shown}"`
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`)
}
