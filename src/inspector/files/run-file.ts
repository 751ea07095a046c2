/**
 * One run for all its readers on the page: its rows, made once and followed live, its questions, and the messages that are
 * being written. A run that ends is followed no further.
 */
import {
  type ActorView,
  type Chart,
  type ErrorData,
  type OpenQuestion,
  type RunService,
  type TrailEntry,
  TroupeError,
} from '../../index.ts'
import { toErrorData } from '../../kit/index.ts'
import { journalOf, nextTask, quietly } from '../../kit/host.ts'
import { randomUUID } from 'node:crypto'
import type { Summary } from '../../view/summary/summary.ts'
import type { RunRow, StreamMessage } from '../wire/routes.ts'
import type { Row } from '../wire/rows.ts'
import type { DryRuns } from '../dry/dry-runs.ts'
import { Changes, firstOf } from './changes.ts'
import type { ContentGate } from './content.ts'
import {
  isUnreplayable,
  journalSource,
  openSource,
  recordedSource,
  type EntrySource,
} from './entry-source.ts'
import { RowMaker } from './row-maker.ts'
import { RunFacts } from './run-facts.ts'
import { RunEar } from './run-ear.ts'
import type { Speech } from './speeches.ts'

export interface RunFileOptions {
  readonly service: RunService
  readonly gate: ContentGate
  /** Milliseconds between two looks at the journal: at least, and at most while nothing tells of an entry. */
  readonly rhythm: { readonly least: number; readonly most: number }
  /** The dry forks of this inspector. Absent: there are none. */
  readonly dry?: Pick<DryRuns, 'stateOf' | 'isScripted' | 'subscribe'> | undefined
  /** No entry follows those that are there, also where the run has not ended. */
  readonly isRecording?: boolean
}

/** The number of rows that are made before other work of the process gets its turn. */
const slice = 200

/** Milliseconds between two messages with rows while those on record are replayed: a page draws itself anew with each. */
const showEach = 300

/** Milliseconds until a run that could not be read is tried again, doubled with each failure. */
const pauses = { first: 1_000, longest: 30_000 }

/** A message about the run as a whole, and the number of the change that made it. */
interface Note {
  readonly message: StreamMessage
  readonly change: number
}

export class RunFile {
  readonly runId: string
  /** Names this file among those that the server has had of the run. */
  readonly series: string = randomUUID()
  readonly rows: Row[] = []
  readonly changes = new Changes()
  /** The journal has grown, as the store tells. */
  readonly #growth = new Changes()
  readonly #unsubscribe: (() => void) | undefined
  readonly #leaveDry: (() => void) | undefined
  readonly ear: RunEar
  readonly #options: RunFileOptions
  readonly #entries: TrailEntry[] = []
  readonly #maker = new RowMaker()
  readonly #facts: RunFacts
  readonly #notes = new Map<StreamMessage['type'], Note>()
  readonly #begun = quietly<void>()
  readonly #opened = quietly<void>()
  readonly #leaving = new AbortController()
  #change = 0
  #source: EntrySource | undefined
  #run: RunRow
  #hasBegun = false
  #isOpen = false
  #isOver = false
  #failure: Error | undefined

  constructor(runId: string, options: RunFileOptions) {
    this.runId = runId
    this.#options = options
    this.#facts = new RunFacts(runId)
    this.#run = this.#facts.row([])
    this.ear = new RunEar(runId, options.service, this.changes)
    this.#unsubscribe = options.service.subscribe?.((changed, change) => {
      if (changed === runId && change === 'entries') this.#growth.tell()
    })
    this.#leaveDry = options.dry?.subscribe(runId, () => this.#noteDry())
    this.#noteDry()
    void this.#follow()
  }

  /** Resolves when the first rows are there. Rejects with the error for which the run cannot be read. */
  get begun(): Promise<void> {
    return this.#begun.promise
  }

  /** Whether all rows that were on record when the file was opened are there. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Resolves when all rows that are on record are there. Rejects with the error for which the run cannot be read. */
  get opened(): Promise<void> {
    return this.#opened.promise
  }

  get run(): RunRow {
    return this.#run
  }

  /** Throws the error that has ended it: the run cannot be read, or is gone. */
  assertThere(): void {
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Whether no more rows will come. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Whether the rows are all that the run will ever have. */
  get isWhole(): boolean {
    return (
      this.#isOpen &&
      (this.#facts.hasEnded || (this.#options.isRecording === true && this.#leaveDry === undefined))
    )
  }

  /** The entry of a row, once it is there; `undefined`: there is none on record. */
  async entryOnce(row: number): Promise<TrailEntry | undefined> {
    if (this.#entries[row] === undefined) await this.opened
    return this.#entries[row]
  }

  get entries(): readonly TrailEntry[] {
    return this.#entries
  }

  /** The actor at `path`, by default the root agent, after a row; one that has ended is as it ended. */
  view(row: number, path: string | undefined): ActorView | undefined {
    const shown = this.#entries.slice(0, row + 1)
    const root = shown[0]?.journal
    const journals = [...new Set(shown.map(({ journal }) => journal))]
    const journal = path === undefined ? root : journalOf(path, journals)
    const entries = shown.filter((entry) => entry.journal === journal).length
    return entries === 0 ? undefined : this.#source?.view(entries, path)
  }

  /** A message that is being written, as it may be sent; `undefined`: it is not sent. */
  shownSpeech(speech: Speech): Promise<Speech | undefined> {
    return this.#options.gate.speech(this.runId, speech)
  }

  /** The summary of the entries so far. */
  async summary(): Promise<Summary> {
    const { summarise } = await import('troupe/view')
    return summarise(this.#entries)
  }

  /** The charts of the machines of the run: those of its record stand over those of today. */
  get charts(): readonly Chart[] {
    return [...this.#options.service.charts(), ...(this.#source?.charts ?? [])]
  }

  /** The messages about the run that have changed since the change with this number, and the number of the last one. */
  notesSince(change: number): { readonly messages: readonly StreamMessage[]; readonly change: number } {
    const fresh = [...this.#notes.values()].filter((note) => note.change > change)
    return { messages: fresh.map(({ message }) => message), change: this.#change }
  }

  /** Ends it: its readers get no more. */
  drop(): void {
    this.#isOver = true
    this.#leaving.abort()
    this.#unsubscribe?.()
    this.#leaveDry?.()
    this.ear.close()
    this.changes.tell()
  }

  async #follow(): Promise<void> {
    const { signal } = this.#leaving
    for (let failures = 0; !this.#isOver;) {
      const news = [this.ear.news, this.#growth.next]
      try {
        await this.#catchUp()
        failures = 0
        this.#tellOutage(undefined)
      } catch (error) {
        failures++
        if (!this.#hasBegun || isGone(error)) return this.#fail(error)
        this.#tellOutage(toErrorData(error))
      }
      if (this.isWhole) break
      // The service hears nothing of a run whose agents it does not have.
      if (this.#source?.untold === undefined && this.#source?.byRecord === undefined) this.ear.listen()
      const { least, most } = this.#options.rhythm
      await firstOf([], { within: least, signal })
      const pause = Math.min(pauses.first * 2 ** (failures - 1), pauses.longest)
      await firstOf(failures === 0 ? news : [], { within: failures === 0 ? most : pause, signal })
    }
    this.drop()
  }

  /** The run cannot be read, or is gone. */
  #fail(error: unknown): void {
    this.#failure = error instanceof Error ? error : new Error(toErrorData(error).message, { cause: error })
    this.#tellOutage(toErrorData(error))
    this.#begun.reject(error)
    this.#opened.reject(error)
    this.drop()
  }

  async #catchUp(): Promise<void> {
    let isAsking = !this.#isOpen
    let shownAt = Number.NEGATIVE_INFINITY
    for (;;) {
      const entries = await this.#more()
      if (await this.#add(entries)) isAsking = true
      if (this.#isOver || entries.length !== this.#source?.limit) break
      if (performance.now() - shownAt >= showEach) {
        this.#showBeginning()
        shownAt = performance.now()
      }
      await new Promise<void>(nextTask)
    }
    const { diverged, untold, byRecord } = this.#source ?? {}
    const { gate } = this.#options
    if (diverged !== undefined) this.#note({ type: 'diverged', mismatch: gate.mismatch(diverged) })
    if (byRecord !== undefined && untold === undefined)
      this.#note({ type: 'recorded', error: gate.untold(byRecord) })
    if (untold !== undefined) this.#note({ type: 'untold', error: gate.untold(untold) })
    const awaiting = isAsking || untold !== undefined ? await this.#questions() : this.#run.awaiting
    this.#summarise(this.#facts.row(awaiting))
    this.#isOpen = true
    this.#begin()
    this.#opened.resolve()
    this.changes.tell()
  }

  /** Shows the rows so far, while those that follow are replayed. Only then it is known which questions are open. */
  #showBeginning(): void {
    if (!this.#isOpen) this.#summarise(this.#facts.row([]))
    this.#begin()
    this.changes.tell()
  }

  #begin(): void {
    this.#hasBegun = true
    this.#begun.resolve()
  }

  /** The entries that came since; a run that can be replayed no further goes on without transitions. */
  async #more(): Promise<readonly TrailEntry[]> {
    const { service } = this.#options
    try {
      this.#source ??= await openSource(service, this.runId)
      return await this.#source.more()
    } catch (error) {
      if (!isUnreplayable(error)) throw error
      const from = this.#source?.byRecord === undefined ? recordedSource : journalSource
      this.#source = await from(service, this.runId, error, this.#entries)
      return this.#source.more()
    }
  }

  /** Returns whether other questions may be open. */
  async #add(entries: readonly TrailEntry[]): Promise<boolean> {
    let isAsking = false
    for (const [index, entry] of entries.entries()) {
      if (index > 0 && index % slice === 0) {
        await new Promise<void>(nextTask)
        if (this.#isOver) return isAsking
      }
      const { gate } = this.#options
      const row = this.#marked(this.#maker.row(entry, this.rows.length))
      const shown = gate.isOpen ? row : await gate.row(this.runId, row)
      if (this.#facts.add(entry, row)) isAsking = true
      this.#entries.push(entry)
      this.rows.push(shown)
      this.ear.told(entry)
    }
    return isAsking
  }

  #marked(row: Row): Row {
    const isScripted = row.type === 'effect.settled' && this.#options.dry?.isScripted(this.runId, row.key)
    return isScripted === true ? { ...row, scripted: true } : row
  }

  #noteDry(): void {
    const dry = this.#options.dry?.stateOf(this.runId)
    if (dry !== undefined) this.#note({ type: 'dry', dry })
  }

  async #questions(): Promise<RunRow['awaiting']> {
    const { service, gate } = this.#options
    const questions = await questionsOf(service, this.runId, this.#facts)
    return Promise.all(questions.map((question) => gate.question(this.runId, question)))
  }

  #summarise(run: RunRow): void {
    if (JSON.stringify(run) === JSON.stringify(this.#run)) return
    this.#run = run
    if (this.#hasBegun) this.#note({ type: 'summary', run })
  }

  #tellOutage(error: ErrorData | undefined): void {
    const shown = error ?? this.ear.failure
    if (shown === undefined && !this.#notes.has('outage')) return
    this.#note(shown === undefined ? { type: 'outage' } : { type: 'outage', error: shown })
  }

  #note(message: StreamMessage): void {
    const known = this.#notes.get(message.type)
    if (known !== undefined && JSON.stringify(known.message) === JSON.stringify(message)) return
    this.#notes.set(message.type, { message, change: ++this.#change })
    this.changes.tell()
  }
}

/** From the inbox of the service; from the events of the run where the service has none, as a client of Restate without `admin`. */
async function questionsOf(
  service: Pick<RunService, 'awaiting'>,
  runId: string,
  facts: RunFacts,
): Promise<readonly OpenQuestion[]> {
  if (facts.hasEnded) return []
  try {
    return (await service.awaiting({ runId })).items
  } catch {
    return facts.asked // what the inbox cannot tell, the run has told
  }
}

/** Whether the run was deleted. */
function isGone(error: unknown): boolean {
  return error instanceof TroupeError && error.code === 'RUN_NOT_FOUND'
}
