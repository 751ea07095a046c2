/** A run as the page shows it: all of its rows, the row that is shown, and the actor that is chosen. */
import type { Chart } from '../../../index.ts'
import { computed, signal, type ReadonlySignal } from '@preact/signals'
import type { Row, RowTransition } from '../../wire/rows.ts'
import type { Actor } from './actor.ts'
import { ChartIndex, type TransitionPlace } from '../../../drawing/chart-index.ts'
import { Actors, type ActorPlace } from './actors.ts'
import { Lanes } from './lanes.ts'
import { Questions } from './questions.ts'
import { Search } from './search.ts'
import { nearest } from './sorted.ts'
import { TimeAxis } from './time-axis.ts'
import { treeRows } from './tree-rows.ts'

/** Milliseconds of work under way that a run without a time of its own has room for. */
const shortestTail = 10_000

export class RunModel {
  readonly actors = new Actors()
  readonly questions = new Questions()
  readonly lanes = new Lanes()
  readonly axis = new TimeAxis()
  readonly #rows: Row[] = []
  readonly #errors: number[] = []
  readonly #search = new Search(this.#rows)
  readonly #length = signal(0)
  /** `undefined`: the last row, also when rows are appended. A row that there is not yet is shown once it comes. */
  readonly #row = signal<number | undefined>(undefined)
  readonly #chosen = signal<string | undefined>(undefined)
  readonly #collapsed = signal<ReadonlySet<string>>(new Set())
  readonly #charts = signal<ReadonlyMap<string, ChartIndex>>(new Map())
  /** Milliseconds since the last row, while the run goes on and is followed. */
  readonly tail = signal<number | undefined>(undefined)
  /** Milliseconds of the axis, with what goes on behind the last row: as long as the rows at most, so that these stay in sight. */
  readonly span = computed(() => {
    const { length, isAtWork } = this.axis
    const tail = this.#length.value > 0 && isAtWork ? (this.tail.value ?? 0) : 0
    return length + Math.min(tail, Math.max(length, shortestTail))
  })
  readonly #root = computed(() => (this.#length.value === 0 ? '' : (this.actors.roots[0]?.path ?? '')))

  /** The number of rows. */
  readonly length: ReadonlySignal<number> = this.#length
  /** The row that is shown; -1: there is none yet. Live, it is the last one. */
  readonly cursor = computed(() => Math.min(this.#row.value ?? Infinity, this.#length.value - 1))
  readonly isLive = computed(() => this.#row.value === undefined)
  /** The row to show, which may still have to come; `undefined`: the last one. */
  readonly wanted: ReadonlySignal<number | undefined> = this.#row
  /** The path of the chosen actor: the root agent, until another is chosen. Empty: there is no row yet. */
  readonly path = computed(() => this.#chosen.value ?? this.#root.value)
  /** The paths of the actors whose subtrees are not shown. */
  readonly collapsed: ReadonlySignal<ReadonlySet<string>> = this.#collapsed
  /** The actors that have started up to the row that is shown, as the tree lists them. */
  readonly tree = computed(() => treeRows(this.actors.roots, this.cursor.value, this.#collapsed.value))
  /** The questions that are open after the row that is shown. */
  readonly open = computed(() => this.questions.at(this.cursor.value))
  /** The chosen actor at the row that is shown; `undefined`: it has not started. */
  readonly actor = computed<Actor | undefined>(() => this.actors.at(this.path.value)?.at(this.cursor.value))
  /** The chart of the chosen actor, before it has started too; `undefined` for an effect, and for an unknown machine. */
  readonly chart = computed(() => {
    const machine = this.#length.value === 0 ? undefined : this.actors.at(this.path.value)?.machine
    return machine === undefined ? undefined : this.chartOf(machine)
  })

  /** By row. */
  get rows(): readonly Row[] {
    return this.#rows
  }

  /** Adds rows behind those that the model has. */
  append(rows: readonly Row[]): void {
    for (const row of rows) {
      this.#rows.push(row)
      this.actors.append(row)
      this.questions.append(row)
      this.lanes.append(row)
      this.axis.append(row)
      if (hasFailed(row)) this.#errors.push(row.row)
    }
    this.#length.value = this.#rows.length
  }

  /** Takes the charts of the machines of the run. */
  setCharts(charts: readonly Chart[]): void {
    this.#charts.value = new Map(charts.map((chart) => [chart.id, new ChartIndex(chart)]))
  }

  /** The chart of a machine, by its id. */
  chartOf(machine: string): ChartIndex | undefined {
    return this.#charts.value.get(machine)
  }

  /** The description of a transition, or of the state that it leads to. */
  descriptionOf(taken: TransitionPlace & Pick<RowTransition, 'machine'>): string | undefined {
    return this.chartOf(taken.machine)?.descriptionOf(taken)
  }

  /** The name of the state of an actor after a row; `undefined`: it has none. */
  stateOf(actor: Actor, row: number): string | undefined {
    return actor.machine === undefined ? undefined : actor.stateAt(row, this.chartOf(actor.machine))
  }

  /** Shows a row, or the nearest that there is. At the last row the model is live. */
  moveTo(row: number): void {
    this.#row.value = row >= this.#length.value - 1 ? undefined : Math.max(0, row)
  }

  /** Shows a row that may still have to come: until then, the last one. */
  awaitRow(row: number): void {
    this.#row.value = row
  }

  /** No row is awaited any more: all rows on record are here. */
  endAwaiting(): void {
    const row = this.#row.peek()
    if (row !== undefined) this.moveTo(row)
  }

  /** Shows the row that is so many rows further on. */
  moveBy(rows: number): void {
    this.moveTo(this.cursor.value + rows)
  }

  goLive(): void {
    this.#row.value = undefined
  }

  /** Chooses an actor by its path. */
  choose(path: string): void {
    this.#chosen.value = path
  }

  /** Chooses the actor that is so many places further down in the tree. */
  chooseBy(places: number): void {
    const rows = this.tree.value
    const at = rows.findIndex(({ place }) => place.path === this.path.value)
    const next = rows[Math.min(rows.length - 1, Math.max(0, at + places))]
    if (next !== undefined) this.choose(next.place.path)
  }

  /** Shows the subtree of an actor, or hides it. */
  toggle(path: string): void {
    const collapsed = new Set(this.#collapsed.value)
    if (!collapsed.delete(path)) collapsed.add(path)
    this.#collapsed.value = collapsed
  }

  /** The nearest row behind the one that is shown (1), or before it (-1), that is about the chosen actor. */
  nextOfActor(by: 1 | -1): number | undefined {
    return nearest(this.actors.at(this.path.value)?.rows ?? [], this.cursor.value, by)
  }

  /** The nearest row behind the one that is shown (1), or before it (-1), that has an error. */
  nextError(by: 1 | -1 = 1): number | undefined {
    return nearest(this.#errors, this.cursor.value, by)
  }

  /** The nearest row behind the one that is shown (1), or before it (-1), that asks a question. */
  nextQuestion(by: 1 | -1 = 1): number | undefined {
    return nearest(this.questions.rows, this.cursor.value, by)
  }

  /** The rows that hold all words of the text, in order; none for an empty text. */
  search(text: string): readonly number[] {
    return this.#search.find(text)
  }
}

function hasFailed({ error, events }: Row): boolean {
  return error !== undefined || events.some(({ type }) => type === 'error')
}

export type { Actor, ActorPlace }
