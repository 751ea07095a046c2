/** Sees each operation of the store take effect, and each answer arrive; holds what the store does against its contract. */
import type { AppendReport, JournalAppend, JournalEntry, Lease } from 'troupe'
import type { SimulatedProcess } from '../process.ts'
import type { Findings } from './findings.ts'
import { sharedBy, type Watcher } from './watcher.ts'

/** A run as it must be in the store. */
export interface WitnessedRun {
  readonly entries: JournalEntry[]
  lease: Lease
  hasEnded: boolean
  readonly settled: Set<string>
  readonly answered: Set<string>
  /** The names that models have called. */
  readonly called: Set<string>
  /** By the id of a call or a delegation, the answers on record, and whether any is a denial. */
  readonly answers: Map<string, { count: number; isDenied: boolean }>
  /** Starts of tools that are on record without an outcome, by the path of their call. */
  readonly openStarts: Map<string, number>
  /** By the key of a tool, the token under which its own start was recorded. */
  readonly startTokens: Map<string, number>
}

/** What a process has heard about its lease of a run. */
interface Belief {
  token: number
  until: number
  isLost: boolean
}

export class StoreWitness {
  readonly runs = new Map<string, WitnessedRun>()
  readonly watchers: Watcher[] = []
  readonly #findings: Findings
  readonly #leaseTtl: number
  readonly #beliefs = new Map<SimulatedProcess, Map<string, Belief>>()

  constructor(findings: Findings, leaseTtl: number) {
    this.#findings = findings
    this.#leaseTtl = leaseTtl
  }

  /** What the process has heard last about its lease of the run. */
  beliefOf(process: SimulatedProcess, runId: string): Belief | undefined {
    return this.#beliefs.get(process)?.get(runId)
  }

  /** The process asks. */
  asked(process: SimulatedProcess, name: string, args: readonly unknown[]): void {
    if (name !== 'renew' && name !== 'claim') return
    const expiresAt =
      name === 'claim'
        ? (args[3] as number)
        : Math.max(...(args[0] as readonly Lease[]).map((lease) => lease.expiresAt))
    const ahead = expiresAt - process.environment.clock.now()
    if (ahead > this.#leaseTtl) this.#findings.add('lease', `${process.name}: ${name} for ${ahead} ms`)
  }

  /** An operation has taken effect. */
  applied(process: SimulatedProcess, name: string, args: readonly unknown[], result: unknown): void {
    switch (name) {
      case 'append':
        this.#appended(
          process,
          args[0] as readonly JournalAppend[],
          notKept(result as AppendReport | undefined),
        )
        break
      case 'claim':
        this.#claimed(args as [string, string, number], result as Lease | undefined)
        break
      case 'renew':
        this.#renewed(args[0] as readonly Lease[])
        break
      default:
        for (const watcher of this.watchers) watcher.remembered?.(name, args)
    }
  }

  /** The process hears what became of its operation. */
  answered(process: SimulatedProcess, name: string, args: readonly unknown[], result: unknown): void {
    switch (name) {
      case 'append':
        for (const { entry, lease } of args[0] as readonly JournalAppend[]) {
          if (entry?.type === 'run.started') this.#believe(process, lease, lease.expiresAt)
        }
        this.#heardLost(
          process,
          (args[0] as readonly JournalAppend[]).map(({ lease }) => lease),
          lostOf(result as AppendReport | undefined),
        )
        break
      case 'claim': {
        const lease = result as Lease | undefined
        if (lease !== undefined) this.#believe(process, lease, lease.expiresAt)
        break
      }
      case 'renew': {
        const lost = new Set(result as readonly string[])
        const leases = (args[0] as readonly Lease[]).filter(({ expiresAt }) => expiresAt > 0)
        for (const lease of leases) {
          if (!lost.has(lease.runId)) this.#believe(process, lease, lease.expiresAt)
        }
        this.#heardLost(process, leases, lost)
        break
      }
    }
  }

  #appended(
    process: SimulatedProcess,
    appends: readonly JournalAppend[],
    refused: ReadonlySet<string>,
  ): void {
    for (const { runId, entry, lease } of appends) {
      if (refused.has(runId) || entry === undefined) continue
      const run = this.runs.get(runId)
      if (run === undefined) {
        if (entry.type !== 'run.started') {
          this.#findings.add('fence', `${runId} begins with ${entry.type}`)
        }
        this.runs.set(runId, begun(entry, lease))
        this.#tell(process, runId)
        continue
      }
      const { token } = run.lease
      if (lease.token !== token || entry.type === 'run.started') {
        this.#findings.add(
          'fence',
          `${runId}: ${entry.type} was kept under token ${lease.token} of ${lease.owner}; the newest is ${token}`,
        )
      }
      run.entries.push(entry)
      this.#note(runId, run, entry)
      this.#tell(process, runId)
    }
  }

  /** Watchers hear of the last entry of a run. */
  #tell(process: SimulatedProcess, runId: string): void {
    const run = this.runs.get(runId)
    const entry = run?.entries.at(-1)
    if (run === undefined || entry === undefined) return
    const position = run.entries.length - 1
    for (const watcher of this.watchers) watcher.kept?.({ process, runId, entry, position, run })
  }

  #note(runId: string, run: WitnessedRun, entry: JournalEntry): void {
    if (run.hasEnded && !(entry.type === 'effect.settled' && entry.late === true)) {
      const check = entry.type === 'run.settled' ? 'oneEnd' : 'afterEnd'
      this.#findings.add(check, `${runId}: ${entry.type} after its end`)
    }
    switch (entry.type) {
      case 'effect.started':
        if (run.entries.length <= sharedBy(run)) break // the fork has not begun the call
        run.startTokens.set(entry.key, run.lease.token)
        addTo(run.openStarts, pathOf(entry.key), 1)
        break
      case 'effect.settled':
      case 'timer.fired':
        if (run.settled.has(placeOf(entry)))
          this.#findings.add('oneSettlement', `${runId}: ${placeOf(entry)} twice`)
        run.settled.add(placeOf(entry))
        for (const name of calledBy(entry)) run.called.add(name)
        if (run.entries.length > sharedBy(run)) this.#checkInterruption(runId, run, entry)
        if (isEndOfTool(entry) && run.startTokens.has(entry.key)) {
          addTo(run.openStarts, pathOf(entry.key), -1)
        }
        break
      case 'signal.received': {
        const { signal } = entry
        if (signal.type !== 'answer') break
        if (run.answered.has(signal.key)) this.#findings.add('oneAnswer', `${runId}: ${signal.key} twice`)
        run.answered.add(signal.key)
        const { count = 0, isDenied = false } = run.answers.get(signal.id) ?? {}
        run.answers.set(signal.id, { count: count + 1, isDenied: isDenied || !signal.answer.approved })
        break
      }
      case 'run.settled':
        run.hasEnded = true
        break
      case 'run.started':
      case 'run.restored':
      case 'program.drifted':
        break
    }
  }

  #checkInterruption(runId: string, run: WitnessedRun, entry: JournalEntry): void {
    if (entry.type !== 'effect.settled') return
    const outcome = entry.settlement.value as { readonly type?: string } | null | undefined
    if (entry.kind !== 'tool' || outcome?.type !== 'interrupted') return
    const begun = run.startTokens.get(entry.key)
    if (begun !== undefined && begun < run.lease.token) return
    this.#findings.add(
      'interrupted',
      `${runId}: ${entry.key} began under ${begun}, and it is ${run.lease.token}`,
    )
  }

  #claimed([runId, owner, now]: [string, string, number], lease: Lease | undefined): void {
    const run = this.runs.get(runId)
    if (lease === undefined || run === undefined) return
    const { lease: old } = run
    // A lease that is dated further ahead than any lease can be counts as expired.
    const isFree = old.owner === owner || old.expiresAt <= now || old.expiresAt > now + this.#leaseTtl
    if (!isFree) {
      const left = old.expiresAt - now
      this.#findings.add(
        'lease',
        `${runId} was given to ${owner}, ${left} ms before that of ${old.owner} ends`,
      )
    }
    if (lease.token !== old.token + 1) {
      this.#findings.add('lease', `${runId}: token ${lease.token} follows ${old.token}`)
    }
    run.lease = lease
  }

  #renewed(leases: readonly Lease[]): void {
    for (const { runId, token, expiresAt } of leases) {
      const run = this.runs.get(runId)
      if (run?.lease.token === token) run.lease = { ...run.lease, expiresAt }
    }
  }

  #believe(process: SimulatedProcess, { runId, token }: Lease, until: number): void {
    const beliefs = this.#beliefs.get(process) ?? new Map<string, Belief>()
    this.#beliefs.set(process, beliefs)
    const old = beliefs.get(runId)
    if (old !== undefined && old.token > token) return
    beliefs.set(runId, { token, until, isLost: old?.token === token && old.isLost })
  }

  #heardLost(process: SimulatedProcess, leases: readonly Lease[], lost: ReadonlySet<string>): void {
    for (const { runId, token } of leases) {
      const belief = lost.has(runId) ? this.beliefOf(process, runId) : undefined
      if (belief?.token === token) belief.isLost = true
    }
  }
}

function begun(entry: JournalEntry, lease: Lease): WitnessedRun {
  return {
    entries: [entry],
    lease,
    hasEnded: false,
    settled: new Set(),
    answered: new Set(),
    called: new Set(),
    answers: new Map(),
    openStarts: new Map(),
    startTokens: new Map(),
  }
}

/** The names that a model calls in its outcome. */
function calledBy(entry: JournalEntry): readonly string[] {
  if (entry.type !== 'effect.settled' || entry.kind !== 'model') return []
  const reply = entry.settlement.value as
    { readonly toolCalls?: readonly { readonly name: string }[] } | undefined
  return (reply?.toolCalls ?? []).map(({ name }) => name)
}

/** The runs of which nothing was kept. */
function notKept(report: AppendReport | undefined): ReadonlySet<string> {
  return new Set([...(report?.lost ?? []), ...(report?.answered ?? []).map(({ runId }) => runId)])
}

function lostOf(report: AppendReport | undefined): ReadonlySet<string> {
  return new Set(report?.lost)
}

/** A key is the path of the actor that asks, and the effect's own name. */
function pathOf(key: string): string {
  return key.slice(0, key.lastIndexOf('/'))
}

function addTo(counts: Map<string, number>, key: string, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by)
}

/** What comes after a deadline is on record beside the timeout: once. */
function placeOf(entry: { readonly key: string; readonly late?: true }): string {
  return entry.late === true ? `${entry.key} (late)` : entry.key
}

function isEndOfTool(entry: JournalEntry): boolean {
  return entry.type === 'effect.settled' && entry.kind === 'tool' && entry.late !== true
}
