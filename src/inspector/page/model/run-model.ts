/** A run as the page shows it: all of its rows, the row that is shown, and the actor that is chosen. */
import { computed, signal, type ReadonlySignal } from '@preact/signals'
import type { Chart } from '../../../actors/charts/chart.ts'
import type { Row } from '../../wire/rows.ts'

export class RunModel {
  readonly #rows: Row[] = []
  readonly #length = signal(0)
  /** `undefined`: the last row, also when rows are appended. */
  readonly #row = signal<number | undefined>(undefined)
  readonly #chosen = signal<string | undefined>(undefined)
  readonly #charts = signal<ReadonlyMap<string, Chart>>(new Map())

  /** The number of rows. */
  readonly length: ReadonlySignal<number> = this.#length
  /** The row that is shown; -1: there is none yet. Live, it is the last one. */
  readonly cursor = computed(() => Math.min(this.#row.value ?? Infinity, this.#length.value - 1))
  readonly isLive = computed(() => this.#row.value === undefined)
  /** The path of the chosen actor: the root agent, until another is chosen. Empty: there is no row yet. */
  readonly path = computed(() => this.#chosen.value ?? this.#root.value)

  readonly #root = computed(() => (this.#length.value === 0 ? '' : (this.#rows[0]?.journal ?? '')))

  /** By row. */
  get rows(): readonly Row[] {
    return this.#rows
  }

  /** Adds rows behind those that the model has. */
  append(rows: readonly Row[]): void {
    for (const row of rows) this.#rows.push(row)
    this.#length.value = this.#rows.length
  }

  /** Takes the charts of the machines of the run. */
  setCharts(charts: readonly Chart[]): void {
    this.#charts.value = new Map(charts.map((chart) => [chart.id, chart]))
  }

  chartOf(machine: string): Chart | undefined {
    return this.#charts.value.get(machine)
  }

  /** Shows a row, or the nearest that there is. At the last row the model is live. */
  moveTo(row: number): void {
    this.#row.value = row >= this.#length.value - 1 ? undefined : Math.max(0, row)
  }

  goLive(): void {
    this.#row.value = undefined
  }

  /** Chooses an actor by its path. */
  choose(path: string): void {
    this.#chosen.value = path
  }
}
