/** The appends of a sealed store: each is sealed for its place, and a run that cannot be sealed refuses its own alone. */
import { sealedSpending } from './sealed-ledger.ts'
import type { AppendReport, JournalAppend, JournalEntry, QueuedSignal, RunStore } from '../index.ts'
import { all, isLater, rescued, after, type Awaitable } from './awaitable.ts'
import { sealedEntry, sealedQuestion } from './envelope.ts'
import type { Names } from './names.ts'
import type { RunPlace, RunPlaces } from './run-places.ts'
import { isUnreadable, type Place, type Seals } from './seals.ts'

type Report = AppendReport | void
type Refused = NonNullable<AppendReport['refused']>[number]

/** The appends of one run, sealed. */
interface SealedRun {
  readonly runId: string
  readonly appends: readonly JournalAppend[]
  /** Its place after them; `undefined`: not known. */
  readonly place: RunPlace | undefined
}

export class RunAppends {
  readonly #store: Pick<RunStore, 'append'>
  readonly #seals: Seals
  readonly #names: Names
  readonly #places: RunPlaces
  readonly #openSignal: (signal: QueuedSignal) => Awaitable<QueuedSignal>
  /** The append before, while it is under way: a place is known once it has ended. */
  #before: Promise<unknown> | undefined

  constructor(options: {
    readonly store: Pick<RunStore, 'append'>
    readonly seals: Seals
    readonly names: Names
    readonly places: RunPlaces
    readonly openSignal: (signal: QueuedSignal) => Awaitable<QueuedSignal>
  }) {
    this.#store = options.store
    this.#seals = options.seals
    this.#names = options.names
    this.#places = options.places
    this.#openSignal = options.openSignal
  }

  append(appends: readonly JournalAppend[]): Awaitable<Report> {
    const before = this.#before
    const appended = before === undefined ? this.#append(appends) : before.then(() => this.#append(appends))
    if (!isLater(appended)) return appended
    const end = (): void => {
      if (this.#before === ended) this.#before = undefined
    }
    const ended: Promise<void> = appended.then(end, end) // the caller gets the error
    this.#before = ended
    return appended
  }

  #append(appends: readonly JournalAppend[]): Awaitable<Report> {
    const refused: Refused[] = []
    const byRun = Map.groupBy(appends, ({ runId }) => runId)
    const sealing = Array.from(byRun, ([runId, mine]) =>
      rescued<SealedRun | undefined>(
        () => this.#sealed(runId, mine),
        (error) => {
          refused.push({ runId, error })
          return undefined
        },
      ),
    )
    return after(all(sealing), (made) => {
      const runs = made.filter((run) => run !== undefined)
      return after(this.#stored(inOrder(appends, runs), runs), (report) => this.#reported(report, refused))
    })
  }

  #sealed(runId: string, appends: readonly JournalAppend[]): Awaitable<SealedRun> {
    const [first] = appends
    const isContent = appends.some(({ entry, questions }) => entry !== undefined || questions !== undefined)
    if (first === undefined || !isContent) return { runId, appends, place: undefined }
    const { token } = first.lease
    const place: Awaitable<Required<RunPlace> | undefined> =
      first.entry?.type === 'run.started'
        ? { resourceId: first.entry.resourceId, counted: { token, entries: 0 } }
        : this.#places.next(runId, first.lease)
    return after(place, (found) => {
      const { resourceId, counted } = found ?? { resourceId: undefined, counted: { token, entries: 0 } }
      let { entries } = counted
      const sealed = all(
        appends.map((append) => this.#sealedAppend(append, resourceId, append.entry && entries++)),
      )
      return after(sealed, (mine) => ({
        runId,
        appends: mine,
        place: found === undefined ? undefined : { resourceId, counted: { token, entries } },
      }))
    })
  }

  #sealedAppend(
    append: JournalAppend,
    resourceId: string | undefined,
    index: number | undefined,
  ): Awaitable<JournalAppend> {
    const { runId, lease, queued, entry, questions, spent } = append
    const spending = spent && sealedSpending(spent, this.#names)
    const rest = {
      runId,
      lease,
      ...(queued === undefined ? {} : { queued }),
      ...(spending === undefined ? {} : { spent: spending }),
    }
    const withEntry: Awaitable<JournalAppend> =
      entry === undefined || index === undefined
        ? rest
        : after(this.#sealedEntry(entry, resourceId, ['entry', runId, index]), (made) => {
            return { ...rest, entry: made }
          })
    if (questions === undefined) return withEntry
    const { opened, closed, suspendedAt } = questions
    const sealed = all(
      opened.map((question) => {
        const place = ['question', runId, this.#names.of('call', question.toolCallId)] as const
        return after(this.#seals.seal(question, resourceId, place), (text) =>
          sealedQuestion(question, text, this.#names),
        )
      }),
    )
    return after(sealed, (made) =>
      after(withEntry, (known) => ({
        ...known,
        questions: {
          opened: made,
          closed: closed === 'others' ? closed : closed.map((id) => this.#names.of('call', id)),
          ...(suspendedAt === undefined ? {} : { suspendedAt }),
        },
      })),
    )
  }

  /** The end by force of a run whose key is gone has the key of what belongs to no resource: such a run can be ended. */
  #sealedEntry(entry: JournalEntry, resourceId: string | undefined, place: Place): Awaitable<JournalEntry> {
    const json = JSON.stringify(entry)
    const isForced = entry.type === 'run.settled' && entry.forced === true
    const text = rescued(
      () => this.#seals.sealText(json, resourceId, place),
      (error) => {
        if (!isForced || !isUnreadable(error)) throw error
        return this.#seals.sealText(json, undefined, place)
      },
    )
    return after(text, (sealed) => sealedEntry(entry, json, sealed, this.#names))
  }

  #stored(appends: readonly JournalAppend[], runs: readonly SealedRun[]): Awaitable<Report> {
    if (appends.length === 0) return undefined
    const kept = (report: Report): Report => {
      const without = new Set([...lostOf(report), ...(report?.answered ?? []).map(({ runId }) => runId)])
      for (const { runId, place } of runs) {
        if (place === undefined || !without.has(runId)) {
          if (place !== undefined) this.#places.kept(runId, place)
        } else this.#places.forget(runId)
      }
      return report
    }
    return rescued(
      () => after(this.#store.append(appends), kept),
      (error) => {
        for (const { runId } of runs) this.#places.forget(runId)
        throw error
      },
    )
  }

  #reported(report: Report, refused: readonly Refused[]): Awaitable<Report> {
    const answers = report?.answered ?? []
    const unheard: Refused[] = []
    const opened = answers.map((answer) =>
      rescued<QueuedSignal | undefined>(
        () => this.#openSignal(answer),
        (error) => {
          unheard.push({ runId: answer.runId, error })
          return undefined
        },
      ),
    )
    return after(all(opened), (signals) => {
      const all = [...(report?.refused ?? []), ...refused, ...unheard]
      const isRefused = new Set(all.map(({ runId }) => runId))
      const answered = signals.filter((signal) => signal !== undefined && !isRefused.has(signal.runId))
      if (report === undefined && all.length === 0) return undefined
      return {
        lost: lostOf(report),
        ...(answered.length === 0 ? {} : { answered: answered as QueuedSignal[] }),
        ...(all.length === 0 ? {} : { refused: all }),
      }
    })
  }
}

function lostOf(report: Report): readonly string[] {
  return report?.lost ?? []
}

/** The sealed appends in the order of those that they were made of. */
function inOrder(appends: readonly JournalAppend[], runs: readonly SealedRun[]): readonly JournalAppend[] {
  const [one] = runs
  if (one !== undefined && runs.length === 1) return one.appends
  const made = new Map(runs.map(({ runId, appends }) => [runId, { appends, at: 0 }]))
  return appends.flatMap(({ runId }) => {
    const mine = made.get(runId)
    return mine?.appends[mine.at++] ?? []
  })
}
