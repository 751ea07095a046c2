/** A story as the panels of the inspector read a run: its rows, and the content of each, without a server. */
import type { ErrorData } from '../../index.ts'
import { computed, signal } from '@preact/signals'
import { changed } from '../story/actor-changes.ts'
import { searchEntries } from '../files/entry-search.ts'
import type { RowDetail, RunRow, SearchPage, ViewDetail } from '../wire/routes.ts'
import type { ActorChange } from '../wire/story.ts'
import { Api } from '../page/connection/api.ts'
import { RefusedError } from '../page/connection/failure.ts'
import type { Feed, ShownRun, Speech } from '../page/connection/run-session.ts'
import { RunModel } from '../page/model/run-model.ts'
import type { Story } from './story-file.ts'

const notFound = { code: 'NOT_FOUND', message: 'The story does not have it.' }
const withheld = { code: 'UNAVAILABLE', message: 'This part of the run is withheld.' }

interface PlacedChange {
  readonly row: number
  readonly change: ActorChange
}

export class StoryRun implements ShownRun {
  readonly runId: string
  readonly model = signal(new RunModel())
  readonly run = signal<RunRow | undefined>(undefined)
  readonly feed = signal<Feed>({ state: 'ended' })
  readonly untold = signal<ErrorData | undefined>(undefined)
  readonly speech = signal<ReadonlyMap<string, Speech>>(new Map())
  readonly isPassing = computed(() => false)
  readonly api: Api = new StoryApi(this)
  readonly #story: Story
  readonly #changes: ReadonlyMap<string, readonly PlacedChange[]>

  constructor(story: Story) {
    const { head, lines } = story
    this.#story = story
    this.runId = head.run.runId
    this.run.value = head.run
    this.untold.value = head.untold
    const placed = lines.flatMap(({ actors }, row) => actors.map((change): PlacedChange => ({ row, change })))
    this.#changes = Map.groupBy(placed, ({ change }) => change.path)
    const model = new RunModel()
    model.setCharts(head.charts)
    model.append(lines.map(({ row }) => row))
    model.moveTo(0)
    this.model.value = model
  }

  /** The entry of a row; `null`: it is withheld, or not there. */
  detail(row: number): RowDetail | null {
    return this.#story.lines[row]?.detail ?? null
  }

  /** The entry of a row. Throws a `RefusedError` where it is not there, or withheld. */
  row(row: number): RowDetail {
    const line = this.#story.lines[row]
    if (line === undefined) throw new RefusedError(404, notFound)
    if (line.detail === null) throw new RefusedError(409, withheld)
    return line.detail
  }

  /** An actor after a row. Throws as `row` does. */
  view(row: number, path = this.#story.lines[0]?.row.journal ?? ''): ViewDetail {
    let view: ViewDetail | undefined
    let isWithheld = false
    for (const { row: at, change } of this.#changes.get(path) ?? []) {
      if (at > row) break
      isWithheld = change.isWithheld === true
      if (!isWithheld) view = changed(view, change)
    }
    if (isWithheld) throw new RefusedError(409, withheld)
    if (view === undefined) throw new RefusedError(404, notFound)
    return view
  }
}

type SearchQuery = Readonly<Record<string, string | number | undefined>>

/** The most hits of a page of a search. */
const mostHits = 100

/** What panels ask of a server. A story has the content of its rows alone, and asks nobody. */
class StoryApi extends Api {
  readonly #story: StoryRun

  constructor(story: StoryRun) {
    super('')
    this.#story = story
  }

  override async row(_runId: string, row: number): Promise<RowDetail> {
    return this.#story.row(row)
  }

  override async details(_runId: string, from: number, to: number): Promise<readonly (RowDetail | null)[]> {
    const rows = Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index)
    return rows.map((row) => this.#story.detail(row))
  }

  override async view(_runId: string, row: number, path?: string): Promise<ViewDetail> {
    return this.#story.view(row, path)
  }

  override search(_runId: string, query: SearchQuery): Promise<SearchPage> {
    const read = async (row: number): Promise<RowDetail | undefined> => this.#story.detail(row) ?? undefined
    const { text = '', from = 0 } = query
    const length = this.#story.model.peek().rows.length
    return searchEntries(read, { text: String(text), from: Number(from), length, limit: mostHits })
  }

  override async image(): Promise<Blob> {
    throw new RefusedError(404, notFound)
  }
}
