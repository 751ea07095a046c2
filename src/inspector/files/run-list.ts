/** The list of runs, and the list of questions, as the page shows them. */
import {
  type ListedRun,
  type OpenQuestion,
  type Page,
  type PageOptions,
  RunNotFoundError,
  type RunService,
} from '../../index.ts'
import { type Reporter, askUser, hasWords, visibleText, wordsOf, yesOrNo } from '../../kit/index.ts'
import { startedColumns } from '../../kit/host.ts'
import type { RunRow } from '../wire/routes.ts'
import type { ContentGate } from './content.ts'

/** The facts about a run by which it is shown or not. */
export type InspectedRun = Pick<
  ListedRun,
  'runId' | 'agent' | 'startedAt' | 'threadId' | 'resourceId' | 'conversationId'
>

export interface RunListOptions {
  readonly service: RunService
  readonly gate: ContentGate
  readonly filter: ((run: InspectedRun) => boolean | Promise<boolean>) | undefined
  readonly report: Reporter
}

/** A page of runs, as the page asks for it. */
export interface RunQuery extends Omit<PageOptions, 'order'> {
  readonly order?: string
  readonly agent?: string
  readonly resourceId?: string
  /** In the terms of the engine. */
  readonly status?: string
  readonly outcome?: string
  readonly code?: string
  /** Words of the task or the id. */
  readonly text?: string
  /** Milliseconds since 1970. */
  readonly startedSince?: number
  readonly changedSince?: number
}

/** The most runs of which it is remembered whether they are shown. */
const mostJudged = 50_000

export class RunList {
  readonly #options: RunListOptions
  readonly #judged = new Map<string, Promise<boolean>>()

  constructor(options: RunListOptions) {
    this.#options = options
  }

  async runs(query: RunQuery): Promise<Page<RunRow>> {
    const { service, gate } = this.#options
    // A function that hides a task, or a code, hides it from filters too.
    const { text, code, ...open } = query
    const chosen = gate.isOpen ? query : open
    return firstShown(chosen, async (asked) => {
      const { items, next } = await service.runs(asked as PageOptions) // the engine refuses what it does not know
      const isShown = await Promise.all(items.map((run) => this.#shows(run)))
      const shown = items.filter((_, index) => isShown[index])
      const rows = await Promise.all(shown.map((run) => this.#row(run)))
      return { next, items: gate.isOpen ? rows : rows.filter((row) => fits(row, { text, code })) }
    })
  }

  /** A run as the list has it. Rejects with a `RunNotFoundError`. */
  async run(runId: string): Promise<RunRow> {
    const [run] = (await this.#options.service.runs({ runId, limit: 1 })).items
    if (run === undefined) throw new RunNotFoundError(runId)
    return this.#row(run)
  }

  async questions(query: PageOptions & { readonly runId?: string }): Promise<Page<OpenQuestion>> {
    const { service, gate } = this.#options
    return firstShown(query, async (asked) => {
      const { items, next } = await service.awaiting(asked)
      const shown: OpenQuestion[] = []
      for (const question of items)
        if (await this.#mayAsk(question.runId)) shown.push(await gate.question(question.runId, question))
      return { next, items: shown }
    })
  }

  /** A run that was deleted since asks nothing. */
  async #mayAsk(runId: string): Promise<boolean> {
    try {
      return await this.mayShow(runId)
    } catch (error) {
      if (error instanceof RunNotFoundError) return false
      throw error
    }
  }

  /** Whether a run is shown at all. Rejects with a `RunNotFoundError`. */
  async mayShow(runId: string): Promise<boolean> {
    if (this.#options.filter === undefined) return true
    const judged = this.#judged.get(runId)
    if (judged !== undefined) return judged
    const journal = await this.#options.service.journal(runId)
    const [started] = 'parts' in journal ? (journal.parts[0]?.turns.flat() ?? []) : journal
    if (started?.type !== 'run.started') return false
    return this.#shows({ ...startedColumns(started), runId })
  }

  /** A run is judged once. */
  async #shows(run: InspectedRun): Promise<boolean> {
    const { filter } = this.#options
    if (filter === undefined) return true
    const known = this.#judged.get(run.runId)
    if (known !== undefined) return known
    const isShown = this.#judge(run, filter)
    this.#judged.set(run.runId, isShown)
    const [oldest] = this.#judged.keys()
    if (this.#judged.size > mostJudged && oldest !== undefined) this.#judged.delete(oldest)
    return isShown
  }

  async #judge(run: InspectedRun, filter: NonNullable<RunListOptions['filter']>): Promise<boolean> {
    const { report } = this.#options
    try {
      return await askUser('filter of inspector', () => filter(pick(run, factNames)), yesOrNo)
    } catch (error) {
      const { runId } = run
      report({
        message: 'filter failed for a run: it is not shown',
        code: 'INSPECTOR_FILTER_FAILED',
        where: 'observer',
        error,
        runId,
      })
      return false
    }
  }

  async #row(run: ListedRun): Promise<RunRow> {
    const { gate } = this.#options
    const { runId, task, code, awaiting } = run
    const questions = awaiting.map((question) => gate.question(runId, question))
    const shown = await gate.run(runId, {
      ...(task === undefined ? {} : { task: visibleText(task) }),
      ...(code === undefined ? {} : { code: visibleText(code) }),
    })
    return { ...pick(run, rowNames), ...shown, awaiting: await Promise.all(questions) }
  }
}

function fits(row: RunRow, { text, code }: Pick<RunQuery, 'text' | 'code'>): boolean {
  return hasWords(row, wordsOf(text)) && (code === undefined || row.code === code)
}

/** The most pages that are read for one, where `filter` leaves nothing of them. */
const mostPages = 50

/** The first page that shows something. */
async function firstShown<Query extends Pick<PageOptions, 'before'>, Item>(
  query: Query,
  read: (query: Query) => Promise<{ readonly items: readonly Item[]; readonly next: string | undefined }>,
): Promise<Page<Item>> {
  let page = await read(query)
  for (let count = 1; page.items.length === 0 && page.next !== undefined && count < mostPages; count++)
    page = await read({ ...query, before: page.next })
  const { items, next } = page
  return { items, ...(next === undefined ? {} : { next }) }
}

const factNames = ['runId', 'agent', 'startedAt', 'threadId', 'resourceId', 'conversationId'] as const
const rowNames = [
  ...factNames,
  'status',
  'outcome',
  'entries',
  'usage',
  'updatedAt',
  'endedAt',
  'duration',
  'forkedFrom',
  'leftAt',
] as const

/** A copy with these fields alone, without those that are `undefined`. */
function pick<Given extends object, Name extends keyof Given>(
  given: Given,
  names: readonly Name[],
): Pick<Given, Name> {
  const fields = names.filter((name) => given[name] !== undefined).map((name) => [name, given[name]])
  return Object.fromEntries(fields) as Pick<Given, Name>
}
