/** A run of a seeded team as the page has it, beside its trail. */
import type { Chart, Trail } from 'troupe'
import { RowMaker } from '../../../src/inspector/files/row-maker.ts'
import { RunModel } from '../../../src/inspector/page/model/run-model.ts'
import type { Row } from '../../../src/inspector/wire/rows.ts'
import type { PatternName } from '../../restate/soak/seeded-team.ts'
import { seededRun } from '../../runtime/trail/seeded-run.ts'

export interface RecordedRun {
  readonly trail: Trail
  readonly rows: readonly Row[]
  readonly charts: readonly Chart[]
  readonly model: RunModel
}

export async function recordedRun(seed: number, pattern: PatternName): Promise<RecordedRun> {
  const { troupe, runId } = await seededRun(seed, pattern)
  const trail = await troupe.trail(runId)
  const charts = troupe.charts()
  await troupe.close()
  const rows = rowsOf(trail)
  return { trail, rows, charts, model: modelOf(rows, charts) }
}

function rowsOf(trail: Trail): readonly Row[] {
  const maker = new RowMaker()
  return trail.entries.map((entry, row) => maker.row(entry, row))
}

export function modelOf(rows: readonly Row[], charts: readonly Chart[] = []): RunModel {
  const model = new RunModel()
  model.setCharts(charts)
  model.append(rows)
  return model
}
