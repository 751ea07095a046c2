/** The program that a process runs: it starts runs, follows them, passes on what people say, and remembers what it was told. */
import { SignalError, type Run, type RunEvent, type Troupe } from 'troupe'
import type { Awaited, CallerWitness, GivenAnswer } from './checks/caller-witness.ts'
import type { Company } from './company.ts'
import type { AgentName, User } from './plan.ts'
import type { SimulatedProcess } from './process.ts'
import type { Scheduler } from './scheduler.ts'

export interface AppOptions {
  readonly process: SimulatedProcess
  readonly troupe: Troupe
  readonly company: Company
  readonly scheduler: Scheduler
  readonly witness: CallerWitness
  /** A run asks people for something. */
  readonly onQuestion: (runId: string, toolCallId: string, type: Question) => void
  readonly onDrain: (deadline: number) => void
  readonly onDelegation: (runId: string, delegationId: string) => void
  /** A run cannot go on by the program of the process. */
  readonly onMismatch: (runId: string, message: string) => void
}

export type Question = 'approval' | 'suspension' | 'interruption'

/** The program of a process does not fit the run, or lacks a version of it. */
const cannotGoOn = new Set(['JOURNAL_MISMATCH', 'INVALID_CONFIGURATION'])

export class App {
  readonly process: SimulatedProcess
  readonly #options: AppOptions
  readonly #followed = new Map<string, Run>()
  #signals = 0

  constructor(options: AppOptions) {
    this.process = options.process
    this.#options = options
  }

  async start(agent: AgentName, user?: User): Promise<void> {
    const { company, troupe, witness } = this.#options
    await this.#attempt(`start ${agent}`, async () => {
      const run = await (user === undefined
        ? troupe.start(company[agent], 'Do it.', { resourceId: 'carol' })
        : troupe.start(company[agent], `I am ${user}.`, { threadId: 'talk', resourceId: user }))
      if (this.process.isGone) return
      this.#note(`${run.id} has started`)
      await witness.toldStarted(run.id)
      this.#follow(run)
    })
  }

  async recover(every: number): Promise<void> {
    await this.#attempt('recover', async () => {
      const { runs, refused } = await this.#options.troupe.recover({ every })
      for (const run of runs) this.#follow(run)
      for (const { runId, error } of refused) this.#heard(runId, error)
    })
  }

  /** Looks after a run, wherever it is. */
  async visit(runId: string): Promise<void> {
    await this.#attempt(`visit ${runId}`, async () => {
      const run = await this.#options.troupe.resume(runId).catch((error: unknown) => {
        this.#heard(runId, error)
        throw error
      })
      this.#follow(run)
      const idle = await run.whenIdle
      if (this.process.isGone || idle.outcome !== 'suspended') return
      for (const { toolCallId, type } of idle.awaiting) this.#options.onQuestion(runId, toolCallId, type)
    })
  }

  async fork(runId: string, at: number): Promise<void> {
    const { troupe, witness } = this.#options
    await this.#attempt(`fork ${runId}`, async () => {
      const run = await troupe.fork(runId, { at })
      if (this.process.isGone) return
      this.#note(`${run.id} is a fork of ${runId}`)
      await witness.toldStarted(run.id)
      this.#follow(run)
    })
  }

  async answer(runId: string, signal: GivenAnswer['signal'], mark: string): Promise<void> {
    const { troupe, witness } = this.#options
    const answer: GivenAnswer = { runId, signal, mark, fate: 'unknown' }
    witness.answers.push(answer)
    const what = `${signal.type} ${'toolCallId' in signal ? signal.toolCallId : JSON.stringify(signal.message)} of ${runId} (${mark})`
    await this.#attempt(what, async () => {
      try {
        const run = this.#byHandle(runId)
        await (run === undefined ? troupe.signal(runId, signal) : run.signal(signal))
      } catch (error) {
        if (error instanceof SignalError && !this.process.isGone) answer.fate = 'refused'
        throw error
      }
      if (this.process.isGone) return
      this.#note(`${what} was accepted`)
      await witness.toldAnswered(answer)
    })
  }

  async endByForce(runId: string): Promise<void> {
    await this.#attempt(`end ${runId} by force`, async () => {
      await this.#options.troupe.cancel(runId, 'it cannot go on', { force: true })
    })
  }

  async cancel(runId: string, delegationId?: string): Promise<void> {
    const { troupe, witness } = this.#options
    const what = `cancel ${runId} ${delegationId ?? ''}`
    witness.cancels.add(runId)
    await this.#attempt(what, async () => {
      const run = this.#byHandle(runId)
      const options = delegationId === undefined ? {} : { delegationId }
      await (run === undefined ? troupe.cancel(runId, 'enough', options) : run.cancel('enough', options))
      if (this.process.isGone) return
      this.#note(`${what} was accepted`)
      if (delegationId === undefined) await witness.toldCancelled(runId)
    })
  }

  async drain(deadline: number): Promise<void> {
    await this.#attempt('drain', async () => {
      this.#options.onDrain(deadline)
      const { ended, handedOver, cutOff } = await this.#options.troupe.drain({ deadline })
      this.#note(
        `has drained: ${ended.length} ended, ${handedOver.length} handed over, ${cutOff.length} cut off`,
      )
    })
    await this.close()
  }

  async close(): Promise<void> {
    this.#options.onDrain(0) // a close cuts off what a drain still waits for
    await this.#attempt('close', () => this.#options.troupe.close())
  }

  #heard(runId: string, error: unknown): void {
    const { code = '', message } = error as Error & { readonly code?: string }
    if (cannotGoOn.has(code) && !this.process.isGone) this.#options.onMismatch(runId, `${code}: ${message}`)
  }

  /** What the troupe tells those who hold a handle. */
  #follow(run: Run): void {
    if (this.#followed.get(run.id) === run || this.process.isGone) return
    this.#followed.set(run.id, run)
    const { witness } = this.#options
    void this.#attempt(`result of ${run.id}`, async () => {
      const result = await run.result
      if (this.process.isGone) return
      this.#note(`${run.id} is ${result.outcome}`)
      await witness.toldResult(run.id, result, this.process)
    })
    void this.#attempt(`events of ${run.id}`, async () => {
      for await (const event of run.events) {
        if (this.process.isGone) return
        this.#see(run.id, event)
      }
    })
  }

  /** Every other time, where there is one. */
  #byHandle(runId: string): Run | undefined {
    return ++this.#signals % 2 === 0 ? this.#followed.get(runId) : undefined
  }

  #see(runId: string, event: RunEvent): void {
    this.#options.witness.sawEvent(runId, event, this.process)
    const { onDelegation, onQuestion } = this.#options
    if (event.type === 'tool-call-approval') onQuestion(runId, event.payload.toolCallId, 'approval')
    if (event.type === 'tool-call-suspended') onQuestion(runId, event.payload.toolCallId, 'suspension')
    if (event.type === 'delegation-start') onDelegation(runId, event.path)
  }

  /** Whatever it rejects with is handled; it stands in the trace. */
  async #attempt(what: string, act: () => Promise<void>): Promise<void> {
    if (!this.process.does(what)) return
    const awaited: Awaited = { what, process: this.process }
    this.#options.witness.awaited.add(awaited)
    try {
      await act()
    } catch (error) {
      if (this.process.isGone) return
      const { code = 'NONE', message } = error as Error & { readonly code?: string }
      this.#note(`${what}: ${code}: ${message}`)
    } finally {
      this.#options.witness.awaited.delete(awaited)
    }
  }

  #note(what: string): void {
    this.#options.scheduler.note(this.process.name, what)
  }
}
