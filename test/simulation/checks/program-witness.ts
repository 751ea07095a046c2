/** Holds the edits that journals name against the programs of the processes that went on with the runs. */
import { missingAgents, unexplained, untold, type Program } from '../edits.ts'
import type { Findings } from './findings.ts'
import type { StoreWitness, WitnessedRun } from './store-witness.ts'
import { sharedBy, startOf, type KeptEntry, type Watcher } from './watcher.ts'

interface Told {
  readonly position: number
  readonly program: Program
}

export class ProgramWitness implements Watcher {
  readonly #findings: Findings
  /** Runs that went on without an agent that their models have called: what became of the call is not on record. */
  readonly #gone = new Set<string>()
  readonly #told = new Map<string, readonly Told[]>()

  readonly #runs: StoreWitness['runs']

  constructor(runs: StoreWitness['runs'], findings: Findings) {
    this.#runs = runs
    this.#findings = findings
  }

  /** The program that the journal of a run has named last. */
  lastTold(runId: string): Program {
    return this.#told.get(runId)?.at(-1)?.program ?? new Set()
  }

  wentOnWithout(runId: string): boolean {
    return this.#gone.has(runId)
  }

  /** Whether what became of a call of the run depends on the program that tells it. */
  isUncertain(runId: string, program: Program): boolean {
    const run = this.#runs.get(runId)
    return this.#gone.has(runId) || (run !== undefined && lacksAgentOf(run, program))
  }

  kept({ process, runId, entry, position, run }: KeptEntry): void {
    if (entry.type === 'run.started') {
      const { forkedFrom } = entry
      const known = forkedFrom && this.#told.get(forkedFrom.runId)
      if (forkedFrom !== undefined && this.#gone.has(forkedFrom.runId)) this.#gone.add(runId)
      const shared = known?.filter((told) => told.position < (forkedFrom?.at ?? 0))
      this.#told.set(runId, shared ?? [{ position, program: process.program }])
      return
    }
    if (position < sharedBy(run)) return
    if (lacksAgentOf(run, process.program)) this.#gone.add(runId)
    const last = this.lastTold(runId)
    if (entry.type === 'program.drifted') {
      const parts = unexplained(last, process.program, entry.edits)
      for (const { agent, part } of parts)
        this.#findings.add('driftTold', `${runId} names ${part} of "${agent}", and nobody edited it`)
      this.#told.set(runId, [...(this.#told.get(runId) ?? []), { position, program: process.program }])
    } else if (entry.type === 'effect.started' || entry.type === 'effect.settled') {
      const [started] = run.entries
      const agents = started?.type === 'run.started' ? Object.keys(started.agents ?? {}) : []
      const edits = untold(last, process.program, agents)
      if (edits.length === 0) return
      this.#findings.add(
        'driftTold',
        `${runId}: ${entry.type} at ${position} and nothing of ${edits.join(', ')}`,
      )
    }
  }
}

/** Whether the program lacks an agent that a model of the run has called, or whose version the run needs. */
export function lacksAgentOf(run: WitnessedRun, program: Program): boolean {
  const { agents = {}, versions = {} } = startOf(run) ?? {}
  const missing = missingAgents(program).filter((agent) => agent in agents)
  if (missing.some((agent) => agent in versions)) return true
  return missing.some((agent) => run.called.has(`agent-${agent}`))
}
