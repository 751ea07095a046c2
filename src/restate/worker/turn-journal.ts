/**
 * The journal of one workflow. Restate itself records inputs before it delivers them, and their consequences are the
 * same in each execution. So entries are delivered at once, and kept turn by turn for readers.
 */
import { serde, type WorkflowContext } from '@restatedev/restate-sdk'
import type { Appender, Committer } from '../../runtime/journal/committer.ts'
import type { JournalEntry } from '../../runtime/journal/journal.ts'
import {
  factsIn,
  names,
  type LastTurn,
  type Turn,
  type RunFacts,
  type RunSums,
  type KeptTurn,
} from '../wire/wire.ts'
import { clearJson, namedFacts, type RestateSealing } from '../wire/sealing.ts'
import type { WorkflowClock } from './workflow-clock.ts'
import { addUsage, type Usage } from '../../actors/usage.ts'
import { entryUsage } from '../../runtime/journal/entry-usage.ts'
import { requesterOf } from '../../actors/actor-path.ts'
import { encodedJson } from '../wire/bounded-serdes.ts'
import { assertOutcome, largest } from '../wire/payload-limits.ts'

/** Milliseconds after a kept turn in which the entries that follow are collected and kept together. */
const pause = 25

/** Characters of JSON that a part may leave to its parent to keep. */
const mostLeft = 64 * 1024

export class TurnJournal implements Pick<Committer, 'append'> {
  readonly #context: WorkflowContext
  readonly #clock: WorkflowClock
  readonly #sums: KeptSums
  readonly #sealing: RestateSealing | undefined
  #waiting: JournalEntry[] = []
  #turn: JournalEntry[] = []
  #ends = new Map<string, LastTurn>()
  #kept = 0
  #keptAt = Number.NEGATIVE_INFINITY
  #callOff: (() => void) | undefined

  constructor(context: WorkflowContext, clock: WorkflowClock, sealing?: RestateSealing) {
    this.#context = context
    this.#sealing = sealing
    this.#clock = clock
    this.#sums = new KeptSums(context, sealing)
  }

  append(_appender: Appender, entry: JournalEntry): void {
    this.#waiting.push(entry)
  }

  /** Delivers the waiting entries, and those that follow from them, until there are none. */
  async deliver(appender: Appender): Promise<void> {
    for (;;) {
      await Promise.resolve() // an outcome reaches its awaiting code in a microtask
      const entries = this.#waiting
      this.#waiting = []
      if (entries.length === 0) break
      for (const entry of entries) appender.committed(entry)
      appender.turnEnded()
      this.#turn.push(...entries)
    }
  }

  /** Keeps the last turn of a part that has ended with the turn that receives its end. */
  keepLast(path: string, last: LastTurn): void {
    this.#ends.set(path, last)
  }

  /** Whether no input has arrived yet. */
  get hasOnlyBegun(): boolean {
    return this.#kept === 0 && this.#turn.length === 1
  }

  /** Lets readers read the delivered entries: at once, or together with those that follow soon after a kept turn. */
  keepSoon(): void {
    if (this.#turn.length === 0 || this.#callOff !== undefined) return
    if (this.#clock.now() - this.#keptAt >= pause) this.keep()
    else this.#callOff = this.#clock.after(pause, () => this.keep())
  }

  /** Keeps the delivered entries at once. */
  keep(): void {
    this.#callOff?.()
    this.#callOff = undefined
    if (this.#turn.length === 0) return
    this.#keptAt = this.#clock.now()
    if (this.#kept === 0) keepFacts(this.#context, this.#turn[0], this.#sealing)
    const invocation = this.#kept === 0 ? { invocation: this.#context.request().id } : {}
    const turn = this.#whole()
    this.#kept = keepTurn(this.#context, this.#kept, { ...turn, ...invocation })
    this.#sums.keep(turn)
    this.#turn = []
    this.#ends.clear()
  }

  /** Returns the entries that a part leaves to its parent; too large a turn is kept here instead. */
  leave(): LastTurn | undefined {
    if (this.#turn.length === 0) return undefined
    const turn = this.#whole()
    if (JSON.stringify(turn).length > mostLeft) {
      this.keep()
      return undefined
    }
    return { ...turn, after: this.#kept }
  }

  #whole(): Turn {
    const entries = this.#turn
    return this.#ends.size === 0 ? { entries } : { entries, ends: Object.fromEntries(this.#ends) }
  }
}

/**
 * Keeps a turn, as several turns where it is larger than Restate takes at once. Returns the index of the next turn.
 * Throws a `TerminalError` for an entry that is too large by itself.
 */
export function keepTurn(context: Pick<WorkflowContext, 'set'>, index: number, turn: KeptTurn): number {
  const bytes = serde.json.serialize(turn)
  const { entries, ends: _ends, ...begun } = turn
  if (entries.length === 1) assertOutcome('An entry of the journal', bytes.length)
  if (bytes.length <= largest.turn) {
    context.set(names.turn(index), bytes, encodedJson)
    return index + 1
  }
  const middle = Math.floor(entries.length / 2)
  const next = keepTurn(context, index, { ...begun, ...part(turn, 0, middle) })
  return keepTurn(context, next, part(turn, middle))
}

/** Returns some entries of a turn, with the ends of the parts that these entries settle. */
function part({ entries, ends = {} }: Turn, from: number, to?: number): Turn {
  const some = entries.slice(from, to)
  const paths = new Set(some.map((entry) => (entry.type === 'effect.settled' ? requesterOf(entry.key) : '')))
  const theirs = Object.entries(ends).filter(([path]) => paths.has(path))
  return { entries: some, ...(theirs.length === 0 ? {} : { ends: Object.fromEntries(theirs) }) }
}

/** The sums of one workflow: its own entries, and those that its parts have left to it. */
class KeptSums {
  readonly #context: Pick<WorkflowContext, 'key' | 'set'>
  readonly #sealing: RestateSealing | undefined
  #entries = 0
  #at = 0
  #usage: Usage | undefined
  #isRoot = false

  constructor(context: Pick<WorkflowContext, 'key' | 'set'>, sealing: RestateSealing | undefined) {
    this.#context = context
    this.#sealing = sealing
  }

  /** Adds a turn. Writes the sums where a model call or the run has ended by it: other entries are counted with the next. */
  keep({ entries, ends = {} }: Turn): void {
    const before = this.#usage
    const whole = entries.concat(...Object.values(ends).map((end) => end.entries))
    this.#add(whole)
    const [first] = entries
    if (first?.type === 'run.started') this.#isRoot = first.runId === this.#context.key
    const settled = this.#isRoot ? entries.find((entry) => entry.type === 'run.settled') : undefined
    if (settled === undefined && this.#usage === before) return
    const { outcome, usage = this.#usage } = settled ?? {}
    this.#context.set<RunSums>(
      names.sums,
      {
        entries: this.#entries,
        at: this.#at,
        ...(usage === undefined ? {} : { usage }),
        ...(outcome === undefined ? {} : { outcome }),
      },
      clearJson(this.#sealing),
    )
  }

  #add(entries: readonly JournalEntry[]): void {
    for (const entry of entries) {
      this.#entries++
      this.#at = Math.max(this.#at, entry.at)
      const usage = entryUsage(entry)
      if (usage !== undefined) this.#usage = this.#usage === undefined ? usage : addUsage(this.#usage, usage)
    }
  }
}

/** Keeps nothing for a part of a run, and for a run without facts. */
function keepFacts(
  context: Pick<WorkflowContext, 'key' | 'set'>,
  first: JournalEntry | undefined,
  sealing: RestateSealing | undefined,
): void {
  if (first?.type !== 'run.started' || first.runId !== context.key) return
  const facts = factsIn(first)
  if (Object.keys(facts).length > 0)
    context.set<RunFacts>(names.facts, namedFacts(sealing, facts), clearJson(sealing))
}
