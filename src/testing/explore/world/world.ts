/**
 * One run on the real engine, under full control: nothing happens but by a choice. Appends are delivered at once, and
 * every effect is held until a choice settles it. A world is rebuilt by making the same choices again. After a crash a
 * second engine reads the journal, and goes on.
 */
import type { EffectOutcome } from '../../../actors/effects/effect-kinds.ts'
import { toErrorData, type ErrorData } from '../../../errors.ts'
import { Engine } from '../../../runtime/engine/engine.ts'
import { RunState } from '../../../runtime/state/run-state.ts'
import { countsAsModelCall, type PendingEffect } from '../../../runtime/state/effects/pending-effect.ts'
import type { PerformContext } from '../../../runtime/engine/perform/context.ts'
import type { PerformedKind } from '../../../runtime/engine/perform/kinds.ts'
import type { AppendOptions } from '../../../runtime/journal/committer.ts'
import type { JournalEntry } from '../../../runtime/journal/journal.ts'
import { resumeFrom } from '../../../runtime/replay/deliver-journal.ts'
import type { Choice, SentEvent } from './choice.ts'
import type { HeldEffect } from './held-effect.ts'
import { engineOptions, makeChoice, type ControlledRun } from './controlled-run.ts'
import { stateOptions, type Subject } from './subject.ts'
import { ThreadsOfRun } from './threads.ts'

export class World implements ControlledRun {
  engine: Engine
  readonly journal: JournalEntry[] = []
  readonly held = new Map<string, HeldEffect>()
  readonly ignored = new Set<string>()
  readonly cancelled = new Set<string>()
  readonly sent: SentEvent[] = []
  said = 0
  readonly threads = new ThreadsOfRun()
  /** Keys of the effects that the last choice started. */
  started: string[] = []
  crashes = 0
  /** The exception of a delivery: a fault of the library, or of a machine. */
  fault: ErrorData | undefined
  readonly #subject: Subject
  /** Keys of the model calls that were started; final turns do not count. */
  #modelCalls = new Set<string>()
  #waiting: { readonly entry: JournalEntry; readonly options: AppendOptions | undefined }[] = []

  constructor(subject: Subject) {
    this.#subject = subject
    this.engine = this.#createEngine()
    this.#guarded(() => this.engine.start())
  }

  get state(): RunState {
    return this.engine.state
  }

  apply(choice: Choice): void {
    this.started = []
    this.#guarded(() => {
      if (choice.type === 'crash') this.#crash()
      else makeChoice(this, choice)
    })
  }

  /** Calls that were in progress at a crash count once: the budget knows those that the journal holds. */
  get modelCalls(): number {
    return this.#modelCalls.size
  }

  get hasEnded(): boolean {
    return this.state.isSettled
  }

  #createEngine(): Engine {
    return new Engine(new RunState(stateOptions(this.#subject)), {
      ...engineOptions(this.#subject),
      committer: {
        append: (_engine, entry, options) => void this.#waiting.push({ entry, options }),
      },
      perform: (_request, context, effect) => this.#hold(effect, context),
    })
  }

  /** Nothing is told to the first engine: a process that dies ends nothing. */
  #crash(): void {
    this.crashes++
    this.held.clear()
    const settled = new Set(this.journal.map((entry) => (entry.type === 'effect.settled' ? entry.key : '')))
    this.#modelCalls = new Set([...this.#modelCalls].filter((key) => settled.has(key)))
    this.engine = this.#createEngine()
    resumeFrom(this.state, this.journal)
    this.engine.goLive()
  }

  #hold(effect: PendingEffect, context: PerformContext): PromiseLike<EffectOutcome<PerformedKind>> {
    effect.begun?.()
    this.started.push(effect.key)
    if (countsAsModelCall(effect)) this.#modelCalls.add(effect.key)
    const hold = (resolve: (value: unknown) => void, reject: (error: unknown) => void): void => {
      this.held.set(effect.key, {
        effect,
        context,
        settle: ({ value, error }) => (error === undefined ? resolve(value) : reject(error)),
      })
    }
    // oxlint-disable-next-line unicorn/no-thenable -- a promise would settle later, and the world acts at once
    return { then: hold } as object as PromiseLike<EffectOutcome<PerformedKind>>
  }

  #guarded(act: () => void): void {
    try {
      act()
      while (this.#waiting.length > 0) {
        const batch = this.#waiting
        this.#waiting = []
        for (const { entry, options } of batch) {
          this.journal.push(entry)
          this.engine.committed(entry)
          options?.receipt?.kept()
        }
        this.engine.turnEnded()
      }
    } catch (error) {
      this.fault ??= toErrorData(error)
    }
  }
}
