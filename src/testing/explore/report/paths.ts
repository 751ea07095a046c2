/** An edge cover of an exploration: paths from the start on which every edge lies, each run on the asynchronous engine. */
import type { ExploredGraph, Step } from '../search/graph.ts'
import { replayDifference } from '../world/replayed.ts'
import { engineOptions, makeChoice, type ControlledRun } from '../world/controlled-run.ts'
import { stateOptions, type Subject } from '../world/subject.ts'
import type { ExploredPath } from './report.ts'
import { Engine } from '../../../runtime/engine/engine.ts'
import { RunState } from '../../../runtime/state/run-state.ts'
import { Committer } from '../../../runtime/journal/committer.ts'
import type { JournalEntry } from '../../../runtime/journal/journal.ts'
import { resumeFrom } from '../../../runtime/replay/deliver-journal.ts'
import { memoryStore } from '../../../runtime/journal/memory/memory-store.ts'
import type { Choice, SentEvent } from '../world/choice.ts'
import type { HeldEffect } from '../world/held-effect.ts'
import { ThreadsOfRun } from '../world/threads.ts'

interface Explored {
  readonly graph: ExploredGraph
  readonly subject: Subject
  readonly keyOf: (run: ControlledRun) => string
}

export function pathsOf({ graph: { places }, subject, keyOf }: Explored): readonly ExploredPath[] {
  const last = places.flatMap(({ next }) => next.filter((step) => !isExtended(step)))
  return last.map((step) => {
    const steps = stepsTo(step)
    return {
      name: steps.map(({ choice }) => choice.label).join(' → '),
      async run() {
        const run = new AsynchronousRun(subject)
        await runPath(run, steps, keyOf)
        const difference = replayDifference(subject, run, await run.journal())
        if (difference !== undefined) throw new Error(difference)
      },
    }
  })
}

/** More than any chain of microtasks between an outcome and its append; nothing here waits for time. */
const microtasks = 12

/** A run on the asynchronous engine, with a store: every effect is held until a choice settles it. */
class AsynchronousRun implements ControlledRun {
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

/** An edge into a state that is extended, and was first reached by it, lies on the paths beyond that state. */
function isExtended(step: Step): boolean {
  return step.to.reachedBy === step && step.to.next.length > 0
}

function stepsTo(last: Step): readonly Step[] {
  const steps: Step[] = []
  for (let step: Step | undefined = last; step !== undefined; step = step.from.reachedBy) steps.push(step)
  return steps.toReversed()
}

async function runPath(
  run: AsynchronousRun,
  steps: readonly Step[],
  keyOf: Explored['keyOf'],
): Promise<void> {
  await run.settled()
  const taken: string[] = []
  for (const { choice, to } of steps) {
    taken.push(choice.label)
    await run.apply(choice)
    if (keyOf(run) !== to.state) {
      throw new Error(`The run came to another state than the exploration, after: ${taken.join(' → ')}`)
    }
  }
}
