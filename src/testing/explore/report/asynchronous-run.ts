/** A run on the asynchronous engine, with a store: every effect is held until a choice settles it. */
import { Engine } from '../../../runtime/engine/engine.ts'
import { RunState } from '../../../runtime/state/run-state.ts'
import { Committer } from '../../../runtime/journal/committer.ts'
import type { JournalEntry } from '../../../runtime/journal/journal.ts'
import { resumeFrom } from '../../../runtime/replay/deliver-journal.ts'
import { memoryStore } from '../../../runtime/journal/memory/memory-store.ts'
import type { Choice, SentEvent } from '../world/choice.ts'
import type { HeldEffect } from '../world/held-effect.ts'
import { engineOptions, makeChoice, type ControlledRun } from '../world/controlled-run.ts'
import { stateOptions, type Subject } from '../world/subject.ts'
import { ThreadsOfRun } from '../world/threads.ts'

/** More than any chain of microtasks between an outcome and its append; nothing here waits for time. */
const microtasks = 12

export class AsynchronousRun implements ControlledRun {
  engine: Engine
  crashes = 0
  readonly held = new Map<string, HeldEffect>()
  readonly ignored = new Set<string>()
  readonly cancelled = new Set<string>()
  readonly sent: SentEvent[] = []
  said = 0
  readonly threads = new ThreadsOfRun()
  readonly #subject: Subject
  readonly #store = memoryStore()
  readonly #committer = new Committer(this.#store)

  constructor(subject: Subject) {
    this.#subject = subject
    this.engine = this.#createEngine()
    this.engine.start()
  }

  get state(): RunState {
    return this.engine.state
  }

  async apply(choice: Choice): Promise<void> {
    if (choice.type === 'crash') await this.#crash()
    else makeChoice(this, choice)
    await this.settled()
  }

  async #crash(): Promise<void> {
    this.crashes++
    this.held.clear()
    this.engine = this.#createEngine()
    resumeFrom(this.state, await this.journal())
    this.engine.goLive()
  }

  #createEngine(): Engine {
    return new Engine(new RunState(stateOptions(this.#subject)), {
      ...engineOptions(this.#subject),
      committer: this.#committer,
      perform: (_request, context, effect) => {
        effect.begun?.()
        return new Promise((resolve, reject) => {
          const settle: HeldEffect['settle'] = ({ value, error }) =>
            // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- an outcome's error is data
            error === undefined ? resolve(value) : reject(error)
          this.held.set(effect.key, { effect, context, settle })
        })
      },
    })
  }

  /** Resolves when all that was asked for is delivered. */
  async settled(): Promise<void> {
    for (let i = 0; i < microtasks; i++) await Promise.resolve()
    await this.#committer.flushed()
  }

  async journal(): Promise<readonly JournalEntry[]> {
    return (await this.#store.read(this.engine.runId)) ?? []
  }
}
