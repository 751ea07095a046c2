/** What a run has paid and done behind an entry, as far as its rows tell. */
import { agentOf } from '../../../kit/index.ts'
import type { Row } from '../../wire/rows.ts'
import { costText, plural, tokensText } from '../shared/format.ts'

/** Sentences about the effects behind a row; empty: it has none there. */
export function doneAfter(rows: readonly Row[], row: number): readonly string[] {
  const later = rows.slice(row + 1).filter(({ type }) => type === 'effect.settled')
  const models = later.filter(({ kind }) => kind === 'model')
  const tokens = models.reduce((sum, { usage }) => sum + (usage?.totalTokens ?? 0), 0)
  const cost = models.reduce((sum, { usage }) => sum + (usage?.cost ?? 0), 0)
  const tools = countsOf(
    rows
      .slice(row + 1)
      .flatMap(({ events }) =>
        events
          .filter(({ type }) => type === 'tool-result' || type === 'tool-error')
          .map(({ line }) => firstWord(line)),
      ),
  )
  const remote = countsOf(later.filter(({ kind }) => kind === 'remote').map(({ path = '' }) => agentIn(path)))
  const writes = later.filter(({ kind, line }) => kind === 'memory' && line === 'null').length
  return [
    ...(models.length === 0
      ? []
      : [
          `${plural(models.length, 'model call')}, ${tokensText(tokens)} tokens${cost === 0 ? '' : `, cost ${costText(cost)}`}`,
        ]),
    ...(tools === '' ? [] : [`tools: ${tools}`]),
    ...(remote === '' ? [] : [`agents of other systems: ${remote}`]),
    ...(writes === 0 ? [] : [plural(writes, 'memory write')]),
  ]
}

function firstWord(line: string): string {
  return line.split(' ', 1)[0] ?? line
}

function agentIn(path: string): string {
  return path.split('/').findLast((id) => agentOf(id) !== undefined) ?? path
}

/** Each name once, with how often it is there. */
function countsOf(names: readonly string[]): string {
  return [...Map.groupBy(names, (name) => name)]
    .map(([name, all]) => (all.length === 1 ? name : `${name} × ${all.length}`))
    .join(', ')
}
