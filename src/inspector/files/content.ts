/**
 * The content of runs as it leaves the process for the page: the last place at which a part of it can be withheld. What names a
 * part, and its place among the others, stays.
 */
import type { ErrorData, JournalMismatch, OpenQuestion } from '../../index.ts'
import { type Expected, type Reporter, askUser, isObject } from '../../kit/index.ts'
import type { Summary } from '../../view/summary/summary.ts'
import type { RowDetail, RunRow, ViewDetail } from '../wire/routes.ts'
import type { Row } from '../wire/rows.ts'
import type { Speech } from './speeches.ts'

/** What the list of runs has of the content of a run. */
export type RunContent = Pick<RunRow, 'task' | 'code'>

/** The parts of runs that are sent, by type. */
export interface Contents {
  /** Of a run in the list: the first line of its task, and the code of the error that ended it. */
  readonly run: RunContent
  /** An entry in short, with the lines of its events. */
  readonly row: Row
  /** An entry and its events, whole. */
  readonly entry: RowDetail
  /** An actor with its context and its messages. */
  readonly actor: ViewDetail
  readonly question: OpenQuestion
  /** A message that is being written. */
  readonly speech: Speech
  /** The summary of a run. */
  readonly summary: Summary
}

/** A part of a run that is about to be sent to the page. It is plain data of its own. */
export type InspectedContent = {
  [Type in keyof Contents]: { readonly type: Type; readonly runId: string; readonly content: Contents[Type] }
}[keyof Contents]

/** Returns the content to send, or promises it: the same, or the same type with parts replaced. */
export type Sanitize = (content: InspectedContent) => InspectedContent | Promise<InspectedContent>

const someContent: Expected<InspectedContent> = { words: 'content of the same type', fits: isContent }

/** Passes content through the function of the user. */
export class ContentGate {
  readonly #sanitize: Sanitize | undefined
  readonly #report: Reporter

  constructor(sanitize: Sanitize | undefined, report: Reporter) {
    this.#sanitize = sanitize
    this.#report = report
  }

  /** Whether it passes everything on as it is. */
  get isOpen(): boolean {
    return this.#sanitize === undefined
  }

  async run(runId: string, run: RunContent): Promise<RunContent> {
    if (this.isOpen || Object.keys(run).length === 0) return run
    const shown = (await this.#pass('run', runId, run)) ?? { task: withheld }
    const texts = Object.entries(shown).filter(([name, text]) => name in run && typeof text === 'string')
    return Object.fromEntries(texts)
  }

  async row(runId: string, row: Row): Promise<Row> {
    const shown = (await this.#pass('row', runId, row)) ?? { ...row, line: withheld, events: [] }
    if (this.isOpen) return shown
    const { journal, entry, type, at } = row
    return { ...shown, row: row.row, journal, entry, type, at, ...partsOf(shown) }
  }

  async question(runId: string, question: OpenQuestion): Promise<OpenQuestion> {
    if (this.isOpen) return question
    const { payload: _, ...known } = question
    const shown = (await this.#pass('question', runId, question)) ?? { ...known, args: withheld }
    const { toolCallId, type, path, since, asOf, leftAt } = question
    const left = leftAt === undefined ? {} : { leftAt }
    return { ...shown, runId: question.runId, toolCallId, type, path, since, asOf, ...left }
  }

  /** The first difference between a journal and its agents; what differs is of the run. */
  mismatch(mismatch: JournalMismatch): JournalMismatch {
    return this.isOpen ? mismatch : { ...mismatch, recorded: null, actual: null }
  }

  /** The error for which a run cannot be replayed; its message may tell of the run. */
  untold(error: ErrorData): ErrorData {
    return this.isOpen ? error : { ...error, message: `The run cannot be replayed here (${error.code}).` }
  }

  /** `undefined`: it is not sent. */
  async speech(runId: string, speech: Speech): Promise<Speech | undefined> {
    const shown = await this.#pass('speech', runId, speech)
    const { type, path, messageId, kind } = speech
    return shown === undefined || this.isOpen ? shown : { ...shown, type, path, messageId, kind }
  }

  /** `undefined`: it is not sent. */
  summary(runId: string, summary: Summary): Promise<Summary | undefined> {
    return this.#pass('summary', runId, summary)
  }

  /** `undefined`: it is not sent. */
  async entry(runId: string, entry: RowDetail): Promise<RowDetail | undefined> {
    const shown = await this.#pass('entry', runId, entry)
    return shown === undefined || this.isOpen ? shown : repaired(entry, shown)
  }

  /** `undefined`: it is not sent. */
  actor(runId: string, actor: ViewDetail): Promise<ViewDetail | undefined> {
    return this.#pass('actor', runId, actor)
  }

  /** `undefined` where the function throws, returns content of another type, or does not answer in time. */
  async #pass<Type extends keyof Contents>(
    type: Type,
    runId: string,
    content: Contents[Type],
  ): Promise<Contents[Type] | undefined> {
    const sanitize = this.#sanitize
    if (sanitize === undefined) return content
    try {
      // The user may change it: it must not be a part of the journal.
      const copy = JSON.parse(JSON.stringify({ type, runId, content })) as InspectedContent
      const answer = await askUser('sanitize of inspector', () => sanitize(copy), someContent)
      // It is sent as JSON: what cannot be is withheld here, and ends no stream.
      if (answer.type === type) return JSON.parse(JSON.stringify(answer.content)) as Contents[Type]
      throw new TypeError(`sanitize returned no content of the type "${type}"`)
    } catch (error) {
      this.#report({
        message: `sanitize failed for a part of a run: it is withheld`,
        code: 'INSPECTOR_SANITIZE_FAILED',
        where: 'observer',
        error,
        runId,
      })
      return undefined
    }
  }
}

const withheld = '[withheld]'

/** An entry without its events, or without what it says, is one with less to show. */
function repaired({ entry: { type, at } }: RowDetail, shown: Partial<RowDetail>): RowDetail {
  const { entry, events } = shown
  return {
    ...shown,
    entry: { ...(isObject(entry) ? entry : {}), type, at } as RowDetail['entry'],
    events: Array.isArray(events) ? (events.filter(isObject) as RowDetail['events']) : [],
  }
}

/** The line and the lists of a row, whatever a function has made of them. */
function partsOf(row: Row): Pick<Row, 'line' | 'transitions' | 'events' | 'actorsAdded' | 'actorsEnded'> {
  const { line, transitions, events, actorsAdded, actorsEnded } = row
  return {
    line: typeof line === 'string' ? line : withheld,
    transitions: listOf(transitions),
    events: listOf(events),
    actorsAdded: listOf(actorsAdded),
    actorsEnded: listOf(actorsEnded),
  }
}

function listOf<Item>(items: readonly Item[]): readonly Item[] {
  return isList(items) ? items : []
}

function isList(given: unknown): boolean {
  return Array.isArray(given)
}

function isContent(answer: unknown): answer is InspectedContent {
  if (answer === null || typeof answer !== 'object') return false
  const content: unknown = Reflect.get(answer, 'content')
  return typeof Reflect.get(answer, 'type') === 'string' && content !== null && typeof content === 'object'
}
