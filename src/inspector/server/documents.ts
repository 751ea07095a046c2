/** A run as a text: as a recording, as Turtle, as an explanation; and a chart as Mermaid. */
import type { Chart, RunService } from '../../index.ts'
import { journalText } from '../../kit/host.ts'
import { notFound, unavailable } from '../../kit/wire/index.ts'
import type { RunFile } from '../files/run-file.ts'
import type { Why } from '../wire/routes.ts'
import type { Answer } from './answers.ts'
import { machineOf } from './machine-of.ts'

/** The journal as a test keeps it: one entry a line. Journals in parts are one piece of JSON. */
export async function recording(service: Pick<RunService, 'journal'>, runId: string): Promise<Answer> {
  const journal = await service.journal(runId)
  return 'parts' in journal
    ? { bytes: JSON.stringify(journal), type: 'application/json', name: `${safeName(runId)}.json` }
    : { bytes: journalText(journal), type: 'application/x-ndjson', name: `${safeName(runId)}.jsonl` }
}

export async function turtle(file: RunFile): Promise<Answer> {
  const { toProvenance } = await import('troupe/provenance')
  const text = toProvenance(eventsOf(file)).toTurtle()
  return { bytes: text, type: 'text/turtle; charset=utf-8', name: `${safeName(file.runId)}.ttl` }
}

export async function why(file: RunFile): Promise<Why> {
  const { formatExplanation, toProvenance, why: explain } = await import('troupe/provenance')
  return { lines: formatExplanation(explain(toProvenance(eventsOf(file)))).split('\n') }
}

/** `id`: of the machine. Two machines may share an id: the first is drawn. */
export async function mermaid(charts: readonly Chart[], id: string): Promise<Answer> {
  const chart = charts.find((one) => one.id === id)
  if (chart === undefined) throw notFound(`the machine "${id}"`)
  const { toMermaid } = await import('troupe/diagram')
  return { bytes: toMermaid(machineOf(chart)), type: 'text/plain; charset=utf-8' }
}

function eventsOf(file: RunFile) {
  const events = file.entries.flatMap((entry) => entry.events)
  if (events.length > 0) return events
  throw unavailable('The run cannot be replayed here: its agents are not here, or have changed.')
}

function safeName(runId: string): string {
  return `run-${runId.replaceAll(/[^\w-]/g, '_').slice(0, 60)}`
}
