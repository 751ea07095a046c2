/** Sees what the store keeps, beside the witness of the store itself. */
import type { JournalEntry } from 'troupe'
import type { SimulatedProcess } from '../process.ts'
import type { WitnessedRun } from './store-witness.ts'

export interface KeptEntry {
  readonly process: SimulatedProcess
  readonly runId: string
  readonly entry: JournalEntry
  /** Of the entry in its journal, from 0. */
  readonly position: number
  readonly run: WitnessedRun
}

export interface Watcher {
  /** The run has the entry already. */
  kept?(kept: KeptEntry): void
  /** An operation of the memory has taken effect. */
  remembered?(name: string, args: readonly unknown[]): void
}

export type RunStarted = Extract<JournalEntry, { readonly type: 'run.started' }>

export function startOf(run: WitnessedRun | undefined): RunStarted | undefined {
  const started = run?.entries[0]
  return started?.type === 'run.started' ? started : undefined
}

/** The number of entries that a fork shares; 0 for any other run. */
export function sharedBy(run: WitnessedRun): number {
  return startOf(run)?.forkedFrom?.at ?? 0
}
