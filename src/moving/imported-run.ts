/** Brings a run into a store: its whole journal in one append, with its questions; then its queued signals, and its release. */
import type { JournalEntry, JournalAppend, Lease, QuestionChange, Store } from '../index.ts'
import type { RunLine, SignalLine } from './format.ts'
import { readEntry, readQueued, readRun, type Line } from './read-lines.ts'

type Outcome =
  | { readonly type: 'imported' | 'present' }
  | { readonly type: 'invalid' | 'conflict'; readonly problem: string }

/** Milliseconds after which others may take a run whose import has died. */
const holdTime = 60_000

export async function importedRun(store: Store, lines: readonly Line[]): Promise<Outcome> {
  const read = readLines(lines)
  if (typeof read === 'string') return { type: 'invalid', problem: read }
  const { run, signals } = read
  // A store that redacts keeps no entry as it was elsewhere.
  const entries = read.entries.map((entry) => store.redact?.(entry) ?? entry)
  const known = await store.read(run.run)
  if (known !== undefined) return present(store, { run, entries, signals }, known)
  const lease: Lease = {
    runId: run.run,
    owner: `import-${crypto.randomUUID()}`,
    token: 1,
    expiresAt: Date.now() + holdTime,
  }
  const report = await store.append(appendsOf(run, entries, lease))
  if ((report?.lost ?? []).includes(run.run)) {
    return { type: 'conflict', problem: `another process has just begun the run "${run.run}".` }
  }
  await queue(store, run, signals)
  if (!isEnded(entries)) await release(store, run, lease)
  return { type: 'imported' }
}

interface ReadRun {
  readonly run: RunLine
  readonly entries: readonly JournalEntry[]
  readonly signals: readonly SignalLine[]
}

/** Or the problem. */
function readLines([first = {}, ...rest]: readonly Line[]): ReadRun | string {
  const run = readRun(first)
  if (run === undefined) return 'the section before it is no run.'
  const where = `the run "${run.run}"`
  if (rest.length !== run.entries + run.signals)
    return `${where} has not the entries and signals that it says.`
  const entries = rest.slice(0, run.entries).map((line) => readEntry(line))
  const wrong = entries.indexOf(undefined)
  if (wrong >= 0) return `entry ${wrong} of ${where} is no entry of a journal.`
  const journal = entries.filter((entry) => entry !== undefined)
  const [started, ...others] = journal
  if (started?.type !== 'run.started' || started.runId !== run.run)
    return `${where} does not begin with its start.`
  if (others.some(({ type }) => type === 'run.started')) return `${where} begins twice.`
  const signals = rest.slice(run.entries).map((line) => readQueued(line))
  if (signals.includes(undefined)) return `${where} has a line that is no signal.`
  return { run, entries: journal, signals: signals.filter((signal) => signal !== undefined) }
}

function isEnded(entries: readonly JournalEntry[]): boolean {
  return entries.some(({ type }) => type === 'run.settled')
}

function appendsOf(run: RunLine, entries: readonly JournalEntry[], lease: Lease): readonly JournalAppend[] {
  const runId = run.run
  const last = restored(run, entries)
  const journal = last === undefined ? entries : [...entries, last]
  const appends: JournalAppend[] = journal.map((entry) => ({ runId, entry, lease }))
  if (isEnded(entries)) return appends
  const opened =
    last === undefined ? run.awaiting : run.awaiting.map((one) => ({ ...one, restored: true as const }))
  const questions: QuestionChange = {
    opened,
    closed: 'others',
    ...(run.isSuspended === true ? { suspendedAt: journal.length } : {}),
  }
  return [...appends, { runId, lease, questions }]
}

/** The entry of a run that may go on where it comes from, too. */
function restored({ isMoved }: RunLine, entries: readonly JournalEntry[]): JournalEntry | undefined {
  if (isMoved === true || isEnded(entries)) return undefined
  const conversationId = entries[0]?.conversationId
  const at = Math.max(Date.now(), entries.at(-1)?.at ?? 0)
  return { type: 'run.restored', at, ...(conversationId === undefined ? {} : { conversationId }) }
}

/** An import that died may have left the signals out: they come again where nobody has gone on with the run. */
async function present(
  store: Store,
  { run, entries, signals }: ReadRun,
  known: readonly JournalEntry[],
): Promise<Outcome> {
  const isSame = entries.every((entry, at) => canonical(entry) === canonical(known[at]))
  if (!isSame) {
    return {
      type: 'conflict',
      problem: `the store has another run "${run.run}", or the export has more of it.`,
    }
  }
  const rest = known.slice(entries.length)
  const isUntouched = rest.length === 0 || (rest.length === 1 && rest[0]?.type === 'run.restored')
  if (isUntouched && !isEnded(known)) await queue(store, run, signals)
  return { type: 'present' }
}

/** A signal that is queued already is not queued again. */
async function queue(store: Store, { run }: RunLine, signals: readonly SignalLine[]): Promise<void> {
  if (signals.length === 0) return
  const { items } = await store.list('signals', { runIds: [run] })
  const queued = new Set(items.map(({ signal }) => canonical(signal)))
  const entries = (await store.read(run))?.length ?? 0
  for (const { signal, claim } of signals) {
    if (queued.has(canonical(signal))) continue
    await store.enqueueSignal(run, signal, claim === undefined ? undefined : { key: claim, entries })
  }
}

async function release(store: Store, run: RunLine, lease: Lease): Promise<void> {
  const { isPassivated, wakeAt } = run
  const passivated = wakeAt === undefined ? {} : { wakeAt }
  await store.renew([{ ...lease, expiresAt: 0, ...(isPassivated === true ? { passivated } : {}) }])
}

/** The keys of an object in the order of their names: a store may give them in another. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}
