/**
 * The connection to one run: its rows, its status, and the text that is being written. When the connection is lost it
 * goes on from the last row; when the server has begun the run's rows anew, it reads them all again.
 */
import type { Chart, ErrorData, JournalMismatch } from '../../../index.ts'
import { batch, computed, signal } from '@preact/signals'
import type { RunRow, StreamMessage } from '../../wire/routes.ts'
import type { DryState } from '../../wire/dry.ts'
import { RunModel } from '../model/run-model.ts'
import type { Api } from './api.ts'
import { isAborted, isUnauthorized, messageOf, RefusedError } from './failure.ts'

/** How the page follows the run. */
export type Feed =
  /** The rows on record arrive. */
  | { readonly state: 'opening' }
  | { readonly state: 'live' }
  | { readonly state: 'ended' }
  /** The server cannot be reached, or cannot follow the run; the connection is tried again. */
  | { readonly state: 'outage'; readonly message: string }
  /** The server has refused: there is no such run, or no right to it. */
  | { readonly state: 'refused'; readonly error: unknown }

/** The message that an agent is writing. */
export interface Speech {
  readonly messageId: string
  readonly text: string
  readonly reasoning: string
}

const startedAgain = 'the inspector was started again. Open the address that it has printed last.'

const firstPause = 500
const longestPause = 10_000

/** What panels read of a run: that of a connection, or that of a story. */
export type ShownRun = Pick<
  RunSession,
  'runId' | 'model' | 'run' | 'feed' | 'untold' | 'speech' | 'isPassing'
>

export class RunSession {
  readonly runId: string
  readonly model = signal(new RunModel())
  readonly run = signal<RunRow | undefined>(undefined)
  readonly feed = signal<Feed>({ state: 'opening' })
  /** Why the rows have no transitions. */
  readonly untold = signal<ErrorData | undefined>(undefined)
  /** Why the rows are told by the agents on record. */
  readonly recorded = signal<ErrorData | undefined>(undefined)
  /** Why there are no charts. */
  readonly uncharted = signal<unknown>(undefined)
  /** The run is a dry fork. */
  readonly dry = signal<DryState | undefined>(undefined)
  readonly diverged = signal<JournalMismatch | undefined>(undefined)
  /** By the path of the agent. */
  readonly speech = signal<ReadonlyMap<string, Speech>>(new Map())
  /** The rows on record arrive, and the one that is shown gives way to another: its content is not asked for. */
  readonly isPassing = computed(() => {
    const { wanted, cursor } = this.model.value
    return this.feed.value.state === 'opening' && (wanted.value ?? Infinity) > cursor.value
  })

  readonly #api: Api
  readonly #closing = new AbortController()
  readonly #stopListening: () => void
  #charts: readonly Chart[] = []
  #series: string | undefined
  #hasAllRows = false
  #wake: () => void = () => undefined

  constructor(api: Api, runId: string) {
    this.#api = api
    this.runId = runId
    void this.#follow()
    void this.#loadCharts()
    this.#stopListening = api.token.subscribe(() => this.retry())
  }

  close(): void {
    this.#stopListening()
    this.#closing.abort()
    this.#wake()
  }

  /** Tries the connection again at once. */
  retry(): void {
    this.#wake()
  }

  async #follow(): Promise<void> {
    let pause = firstPause
    for (;;) {
      const before = this.model.peek().rows.length
      const isOver = await this.#read()
      if (isOver || this.#closing.signal.aborted) return
      if (this.model.peek().rows.length > before) pause = firstPause
      await this.#sleep(pause)
      if (this.#closing.signal.aborted) return
      pause = Math.min(pause * 2, longestPause)
    }
  }

  /** Reads one connection to its end. Returns whether nothing more will come. */
  async #read(): Promise<boolean> {
    try {
      const seen = { from: this.model.peek().rows.length, series: this.#series }
      for await (const message of this.#api.stream(this.runId, seen, this.#closing.signal)) {
        batch(() => this.#take(message))
        if (message.type === 'end') return true
      }
      this.feed.value = { state: 'outage', message: 'The connection to the inspector has ended.' }
      return false
    } catch (error) {
      return this.#fail(error)
    }
  }

  #fail(error: unknown): boolean {
    if (isAborted(error)) return true
    const isAnother = isUnauthorized(error) && this.model.peek().rows.length > 0
    const isFinal = !isAnother && error instanceof RefusedError && error.status < 500
    this.feed.value = isFinal
      ? { state: 'refused', error }
      : { state: 'outage', message: isAnother ? startedAgain : messageOf(error) }
    return isFinal
  }

  #take(message: StreamMessage): void {
    switch (message.type) {
      case 'run':
        if (message.series !== this.#series) this.#beginAnew()
        this.#series = message.series
        this.run.value = message.run
        break
      case 'summary':
        this.run.value = message.run
        this.#recover()
        break
      case 'rows':
        this.model.peek().append(message.rows)
        this.#forgetSpeech(message.rows.map(({ path }) => path))
        this.#recover()
        break
      case 'live':
        this.#hasAllRows = true
        this.model.peek().endAwaiting()
        this.#recover()
        break
      case 'speech':
        this.#hear(message)
        break
      case 'dry':
        this.dry.value = message.dry
        break
      case 'diverged':
        this.diverged.value = message.mismatch
        break
      case 'recorded':
        this.recorded.value = message.error
        break
      case 'untold':
        this.recorded.value = undefined
        this.untold.value = message.error
        break
      case 'outage':
        if (message.error === undefined) this.#recover()
        else this.feed.value = { state: 'outage', message: message.error.message }
        break
      case 'end':
        this.#hasAllRows = true
        this.model.peek().endAwaiting()
        this.speech.value = new Map()
        this.feed.value = { state: 'ended' }
        break
    }
  }

  /** The rows that follow are not of the series that the page has, and begin with the first one. */
  #beginAnew(): void {
    if (this.#series === undefined) return
    const model = new RunModel()
    model.setCharts(this.#charts)
    this.#hasAllRows = false
    this.model.value = model
    this.feed.value = { state: 'opening' }
    this.untold.value = undefined
    this.recorded.value = undefined
    this.diverged.value = undefined
    void this.#loadCharts() // the agents may have changed too
  }

  #recover(): void {
    const next = this.#hasAllRows ? 'live' : 'opening'
    if (this.feed.peek().state !== next) this.feed.value = { state: next }
  }

  #hear({ path, messageId, kind, text }: Extract<StreamMessage, { readonly type: 'speech' }>): void {
    const known = this.speech.peek().get(path)
    const base = known?.messageId === messageId ? known : { messageId, text: '', reasoning: '' }
    this.speech.value = new Map(this.speech.peek()).set(path, { ...base, [kind]: text })
  }

  /** An entry of the agent has the message, or its failure. */
  #forgetSpeech(paths: readonly (string | undefined)[]): void {
    const speech = this.speech.peek()
    const ended = paths.filter((path) => path !== undefined && speech.has(path))
    if (ended.length > 0) {
      this.speech.value = new Map([...speech].filter(([path]) => !ended.includes(path)))
    }
  }

  async #loadCharts(): Promise<void> {
    try {
      this.#charts = await this.#api.charts(this.runId)
      this.model.peek().setCharts(this.#charts)
      this.uncharted.value = undefined
    } catch (error) {
      this.uncharted.value = error
    }
  }

  /** Ends early by `retry` and `close`. */
  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
