/** Rows made by hand. */
import type { TrailActor } from 'troupe'
import type { Row, RowTransition } from '../../../src/inspector/wire/rows.ts'

export function aRow(row: number, given: Partial<Row> = {}): Row {
  return {
    row,
    journal: 'lead',
    entry: row,
    type: row === 0 ? 'run.started' : 'effect.settled',
    at: 1000 + row,
    line: '',
    transitions: [],
    events: [],
    actorsAdded: row === 0 ? [{ path: 'lead', machine: 'react' }] : [],
    actorsEnded: [],
    ...given,
  }
}

export function anEffect(path: string, effect: NonNullable<TrailActor['effect']>, count = 1): TrailActor {
  return { path, effect, key: `${path}#${count}` }
}

export function aStep(path: string, from: string, to: string): RowTransition {
  return { path, machine: 'react', from, to, source: from, position: 0 }
}
