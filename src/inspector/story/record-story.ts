/** Records a run as a story. */
import {
  type Chart,
  type ErrorData,
  type JournalMismatch,
  type OnError,
  type RunService,
  type TrailEntry,
  type ActorView,
  RunNotFoundError,
} from '../../index.ts'
import {
  type Fields,
  aFunction,
  having,
  optional,
  readOptions,
  reporterOf,
  toErrorData,
} from '../../kit/index.ts'
import { journalOf } from '../../kit/host.ts'
import { ContentGate, type Sanitize } from '../files/content.ts'
import { detailOf, viewDetail } from '../files/details.ts'
import { isUnreplayable, journalSource } from '../files/entry-source.ts'
import { RowMaker } from '../files/row-maker.ts'
import { RunFacts } from '../files/run-facts.ts'
import { storyVersion, type ActorChange, type StoryHead, type StoryLine } from '../wire/story.ts'
import type { Row } from '../wire/rows.ts'
import type { ViewDetail } from '../wire/routes.ts'
import { changeOf } from './actor-changes.ts'

/** The options of `recordStory`. */
export interface StoryOptions {
  /**
   * The last change to each part of the run before it is written, as that of `inspector`: its return value is written. A part
   * is withheld where it throws, returns another type, or does not answer within a minute. Default: none.
   */
  readonly sanitize?: Sanitize
  /** Receives faults of `sanitize`. Default: a warning on the console. */
  readonly onError?: OnError
}

/** A service of runs: a troupe, or the runs of a store (`storedRuns`). */
export type StoryService = Pick<RunService, 'trail' | 'journal' | 'charts'>

const fields = { sanitize: optional(aFunction), onError: optional(aFunction) } satisfies Fields<StoryOptions>

const aService = having('a troupe', 'trail', 'journal', 'charts')

/**
 * Resolves with a run as the text of a story file, which `<troupe-run>` plays without a server. Long texts and lists are cut,
 * as on the page of the inspector, and files are named without their bytes. A run that is at work is recorded as far as it
 * is. Without the agents of the run a story has its entries alone. Rejects with a `RunNotFoundError`, a `ConfigurationError` for a wrong option, and with the error of the store.
 */
export async function recordStory(
  service: StoryService,
  runId: string,
  given: StoryOptions = {},
): Promise<string> {
  aService(service, 'recordStory: the first argument')
  const { sanitize, onError } = readOptions<StoryOptions>(given, 'recordStory', fields)
  const gate = new ContentGate(sanitize, reporterOf(onError))
  const source = await openStory(service, runId)
  if (source.entries.length === 0) throw new RunNotFoundError(runId)
  const [rows, maker, facts] = [new Array<Row>(), new RowMaker(), new RunFacts(runId)]
  const lines: StoryLine[] = []
  const actors = new ActorsOfStory(source, gate, runId)
  for (const [at, entry] of source.entries.entries()) {
    const row = maker.row(entry, at)
    facts.add(entry, row)
    rows.push(row)
    const shown = gate.isOpen ? row : await gate.row(runId, row)
    const detail = (await gate.entry(runId, detailOf(entry))) ?? null
    lines.push({ row: shown, detail, actors: await actors.after(entry) })
  }
  const { diverged, untold } = source
  const machines = new Set(rows.flatMap(({ actorsAdded }) => actorsAdded.map(({ machine }) => machine)))
  const awaiting = await Promise.all(facts.asked.map((question) => gate.question(runId, question)))
  const head: StoryHead = {
    type: 'troupe-story',
    version: storyVersion,
    run: facts.row(facts.hasEnded ? [] : awaiting),
    charts: source.charts.filter(({ id }) => machines.has(id)),
    ...(untold === undefined ? {} : { untold: gate.untold(untold) }),
    ...(diverged === undefined ? {} : { diverged: gate.mismatch(diverged) }),
  }
  return [head, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('')
}

interface StorySource {
  readonly entries: readonly TrailEntry[]
  readonly charts: readonly Chart[]
  readonly diverged?: JournalMismatch | undefined
  readonly untold?: ErrorData
  view(entries: number, path: string): ActorView | undefined
}

async function openStory(service: StoryService, runId: string): Promise<StorySource> {
  try {
    const trail = await service.trail(runId)
    return {
      entries: trail.entries,
      charts: service.charts(),
      diverged: trail.diverged,
      view: (entries, path) => trail.view(entries, { path, ended: true })[0],
    }
  } catch (error) {
    if (!isUnreplayable(error)) throw error
    const source = journalSource(service, runId, error)
    return { entries: await source.more(), charts: [], untold: toErrorData(error), view: () => undefined }
  }
}

/** The actors of a run, as they change from entry to entry. */
class ActorsOfStory {
  readonly #source: StorySource
  readonly #gate: ContentGate
  readonly #runId: string
  readonly #known = new Map<string, ViewDetail | undefined>()
  /** By the path of a journal, the number of its entries so far. */
  readonly #entries = new Map<string, number>()

  constructor(source: StorySource, gate: ContentGate, runId: string) {
    this.#source = source
    this.#gate = gate
    this.#runId = runId
  }

  /** The actors that an entry has touched: those that took a transition, started or ended. */
  async after(entry: TrailEntry): Promise<readonly ActorChange[]> {
    this.#entries.set(entry.journal, (this.#entries.get(entry.journal) ?? 0) + 1)
    if (this.#source.untold !== undefined) return []
    for (const { path } of entry.actorsAdded) this.#known.delete(path)
    const { transitions, actorsAdded, actorsEnded } = entry
    const machines = [...actorsAdded, ...actorsEnded].filter(({ machine }) => machine !== undefined)
    const paths = new Set([...transitions, ...machines].map(({ path }) => path))
    const changes: ActorChange[] = []
    for (const path of paths) {
      const change = await this.#changeOf(path)
      if (change !== undefined) changes.push(change)
    }
    return changes
  }

  async #changeOf(path: string): Promise<ActorChange | undefined> {
    const journal = journalOf(path, [...this.#entries.keys()])
    const entries = journal === undefined ? 0 : (this.#entries.get(journal) ?? 0)
    const view = entries === 0 ? undefined : this.#source.view(entries, path)
    if (view === undefined) return undefined
    const before = this.#known.get(path)
    const after = await this.#gate.actor(this.#runId, viewDetail(view))
    this.#known.set(path, after)
    if (after === undefined) return { path, isWithheld: true }
    return changeOf(before, { ...after, path })
  }
}
