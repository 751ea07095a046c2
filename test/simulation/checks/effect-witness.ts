/** Sees every call of a tool, model or hook as the world outside does. */
import type { SimulatedProcess } from '../process.ts'
import type { Findings } from './findings.ts'
import type { CallerWitness } from './caller-witness.ts'
import type { StoreWitness, WitnessedRun } from './store-witness.ts'

interface World {
  /** Else a process may take a run from one whose lease holds by its own clock. */
  readonly clocksAgree: boolean
  /** Whether nothing goes wrong but that processes drain. */
  readonly isCalm: boolean
}

export class EffectWitness {
  /** Calls so far. */
  calls = 0
  readonly #store: StoreWitness
  readonly #findings: Findings
  readonly #world: World
  /** Until when a draining process waits. */
  readonly #drains = new Map<SimulatedProcess, number>()
  /** Calls of tools that ended while their process drained, within its deadline. */
  readonly #endedInTime = new Set<string>()

  readonly #questions: CallerWitness['questions']

  constructor(
    store: StoreWitness,
    { questions }: Pick<CallerWitness, 'questions'>,
    findings: Findings,
    world: World,
  ) {
    this.#store = store
    this.#questions = questions
    this.#findings = findings
    this.#world = world
  }

  /** What users say names them. */
  shown(runId: string, messages: string): void {
    if (messages.includes('I am alice.') && messages.includes('I am bob.')) {
      this.#findings.add('oneOwner', `the model of ${runId} is shown what alice and bob have said`)
    }
  }

  drains(process: SimulatedProcess, until: number): void {
    this.#drains.set(process, Math.min(until, this.#drains.get(process) ?? until))
  }

  /** A call of a tool ends at this time. Whether that is in time while its process drains, and nothing else goes wrong. */
  ended(process: SimulatedProcess, key: string, endsAt: number): boolean {
    const until = this.#drains.get(process)
    const isInTime = until !== undefined && endsAt < until && this.#world.isCalm
    if (isInTime) this.#endedInTime.add(key)
    return isInTime
  }

  started(process: SimulatedProcess, kind: string, runId: string, key: string): void {
    this.calls++
    const belief = this.#store.beliefOf(process, runId)
    const what = `${process.name} starts the ${kind} ${key}`
    if (belief === undefined) this.#findings.add('owner', `${what} of a run that it never had`)
    else if (belief.isLost) this.#findings.add('owner', `${what}, and has heard that the run is lost`)
    else if (belief.until <= process.environment.clock.now()) {
      this.#findings.add('owner', `${what}, and its lease has run out`)
    }
    const run = this.#store.runs.get(runId)
    if (run === undefined || belief === undefined) return
    if (run.lease.token !== belief.token) {
      if (this.#world.clocksAgree) this.#findings.add('owner', `${what} of a run that ${run.lease.owner} has`)
      return
    }
    const path = key.slice(runId.length + 1)
    if (kind !== 'hook') this.#checkAnswers(what, runId, run, path)
    if (kind === 'model' && run.settled.has(path))
      this.#findings.add('settledAgain', `${what}, and its outcome is on record`)
    if (kind !== 'tool') return
    if (this.#endedInTime.has(key))
      this.#findings.add('calledOnce', `${what}, which ended while its process drained`)
    // The idempotency key of a tool is its run and the path of its call.
    const open = run.openStarts.get(path) ?? 0
    if (open < 1) this.#findings.add('recordedStart', `${what}, which is not on record as started and open`)
  }

  /** `path`: of the call itself, or of an effect below a delegation. */
  #checkAnswers(what: string, runId: string, { answers }: WitnessedRun, path: string): void {
    const isIn = (id: string): boolean => path === id || path.startsWith(`${id}/`)
    for (const [id, { isDenied }] of answers)
      if (isDenied && isIn(id)) this.#findings.add('denied', `${what}, and a person has denied ${id}`)
    const asked = [...(this.#questions.get(runId)?.values() ?? [])].filter(isIn)
    for (const id of new Set(asked)) {
      const questions = asked.filter((other) => other === id).length
      const { count = 0 } = answers.get(id) ?? {}
      if (count < questions)
        this.#findings.add('asked', `${what}: ${questions} questions about ${id}, ${count} answers`)
    }
  }
}
