/** Follows the run of a task, in whichever process it is, until it has ended, or waits for an answer and nobody reads. */
import { ConfigurationError } from '../../errors.ts'
import type { AwaitedSignal } from '../../machines/contract/events.ts'
import type { RunEvent } from '../../runtime/handle/run-event.ts'
import { afterTurn } from '../../runtime/clock.ts'
import { unobserved } from '../../runtime/quietly.ts'
import { progressText } from '../../runtime/watch/progress-text.ts'
import type { RunWatch } from '../../runtime/watch/run-watch.ts'
import { questionParts } from '../messages/questions.ts'
import type { A2aTroupe } from './options.ts'
import { tellEnd } from './run-end.ts'
import type { TaskReport } from './tasks/task-report.ts'
import type { TaskEvents } from './tasks/task-events.ts'

export interface FollowerOptions {
  readonly events: TaskEvents
  readonly report: TaskReport
  /** The run waits for an answer from the beginning. */
  readonly isWaiting: boolean
}

export class RunFollower {
  readonly #troupe: A2aTroupe
  readonly #runId: string
  readonly #events: TaskEvents
  readonly #report: TaskReport
  #isWaiting: boolean
  #isLeft = false
  #watched: AsyncIterator<RunEvent> | undefined

  constructor(troupe: A2aTroupe, runId: string, { events, report, isWaiting }: FollowerOptions) {
    this.#troupe = troupe
    this.#runId = runId
    this.#events = events
    this.#report = report
    this.#isWaiting = isWaiting
  }

  get isWaiting(): boolean {
    return this.#isWaiting
  }

  /** A run that waits is watched for its readers alone. */
  readerLeft(): void {
    if (!this.#isWaiting || this.#events.hasReaders) return
    this.#isLeft = true
    const left = this.#watched?.return?.()
    if (left !== undefined) void unobserved(left) // the reader of the watch is told of its errors
  }

  /** `after`: the cursor of the last event that was told. */
  async follow(after: string | undefined): Promise<void> {
    const watched = watchFrom(this.#troupe, this.#runId, after)[Symbol.asyncIterator]()
    this.#watched = watched
    if (this.#isLeft) return
    let events = 0
    for await (const event of { [Symbol.asyncIterator]: () => watched }) {
      if (++events % slice === 0) await turnEnded() // the store may be in memory: other requests have their turn
      await this.#told(event)
      if (this.#isWaiting && !this.#events.hasReaders) return
    }
    if (!this.#isLeft) await tellEnd(this.#troupe, this.#runId, this.#report)
  }

  async #told(event: RunEvent): Promise<void> {
    if (event.type === 'resumed') return this.#goesOn(event)
    const text = progressText(event)
    if (text !== undefined) return this.#report.working(text, event.cursor)
    if (event.type !== 'suspended') return
    const open = await openAt(this.#troupe, this.#runId, event.payload.awaiting)
    if (open === undefined) return
    await this.#report.asks(questionParts(open), event.cursor)
    this.#isWaiting = true
    this.#events.rest()
  }

  async #goesOn({ cursor }: RunEvent): Promise<void> {
    if (!this.#isWaiting) return
    this.#isWaiting = false
    await this.#report.goesOn(cursor)
  }
}

/** Events between two turns of other requests. */
const slice = 32

function turnEnded(): Promise<void> {
  return new Promise((resolve) => void afterTurn(resolve))
}

/** A cursor of another release begins the watch anew: work is then told again, and nothing is lost. */
function watchFrom(troupe: A2aTroupe, runId: string, after: string | undefined): RunWatch {
  if (after === undefined) return troupe.watch(runId)
  try {
    return troupe.watch(runId, { after })
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    return troupe.watch(runId)
  }
}

/** The questions of a suspension. `undefined`: it is over, since a question was answered meanwhile. */
async function openAt(
  troupe: A2aTroupe,
  runId: string,
  asked: readonly AwaitedSignal[],
): Promise<readonly AwaitedSignal[] | undefined> {
  const open = await openQuestions(troupe, runId)
  const isListed = asked.every(({ toolCallId }) =>
    open.some((question) => question.toolCallId === toolCallId),
  )
  if (isListed) return open
  return (await suspensionOf(troupe, runId)) === undefined ? undefined : asked // the list of Restate may come later
}

export async function openQuestions(troupe: A2aTroupe, runId: string): Promise<readonly AwaitedSignal[]> {
  const { items } = await troupe.awaiting({ runId })
  return items.map(({ toolCallId, type, agent, toolName, args, payload }) => ({
    toolCallId,
    type,
    agent,
    toolName,
    args,
    ...(payload === undefined ? {} : { payload }),
  }))
}

/** The suspension that the journal of a run ends with, if it does. */
export async function suspensionOf(troupe: A2aTroupe, runId: string): Promise<RunEvent | undefined> {
  const { events } = await troupe.replay(runId)
  const last = events.findLast(({ type }) => type === 'suspended' || type === 'resumed')
  return last?.type === 'suspended' ? last : undefined
}
