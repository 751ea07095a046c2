/**
 * Routes signals by the id of their run. A run that is here or free gets the signal; for a run of another troupe the
 * signal is queued in the store, and an answer claims its question there.
 */
import { LeaseLostError, RunLeftError, RunOwnedError, TroupeDrainingError } from '../../errors.ts'
import { enqueueSay, enqueueSignal, endsRun } from '../run/enqueue-signal.ts'
import type { RunHost } from '../run/run-host.ts'
import type { RunSignal } from '../handle/run.ts'
import { readSignal } from '../handle/read-signal.ts'
import { SignalsOfJournal } from '../replay/signals-of-journal.ts'
import type { QueuedSignal, RunStore } from '../journal/store.ts'
import { closedError } from '../journal/lost-run.ts'
import { StoreSubscription } from '../journal/store-subscription.ts'
import { withId, type Say } from '../run/saying.ts'
import { otherProtocolIn } from '../run/other-protocols.ts'
import { alreadyAnswered } from '../state/signals/answers-first.ts'
import { changesArguments } from '../state/signals/changed-arguments.ts'
import { OpenSignals, type OpenSignal } from '../state/signals/open-signals.ts'
import { answerOf } from '../state/signals/signal-answer.ts'
import { hasEnded, type JournalEntry } from '../journal/journal.ts'
import type { OpenQuestion } from '../journal/run-index.ts'

export class SignalRouter {
  readonly #host: RunHost

  constructor(host: RunHost) {
    this.#host = host
  }

  /**
   * Resolves when the signal is on record. Rejects with a `SignalError` for a signal that the run does not wait for.
   */
  async tell(runId: string, given: RunSignal): Promise<void> {
    const read = readSignal(given)
    const signal = read.type === 'say' ? withId(read, () => this.#host.environment.newId()) : read
    try {
      const run = await this.#host.resume(runId, {}, endsRun(signal) ? signal : undefined)
      await run.signal(signal)
    } catch (error) {
      if (isElsewhere(error)) await this.enqueue(runId, signal)
      else if (!isNotReplayed(error)) throw error
      else await passOn(this.#host, runId, signal, error)
    }
  }

  /** Queues a signal for the owner, which is another troupe. Resolves when the store has accepted it. */
  async enqueue(runId: string, signal: RunSignal): Promise<void> {
    const { registry, store, interpreter } = this.#host
    if (await this.#host.keeper.isLeft(runId))
      return passOn(this.#host, runId, signal, new RunLeftError(runId))
    const journal = new SignalsOfJournal(registry, await this.#host.journal(runId), interpreter)
    if (signal.type === 'say') return this.#say(runId, signal, journal)
    await enqueueSignal(store, runId, signal, journal)
    await this.#followUp(runId)
  }

  /** Resolves when the owner has taken the message. */
  async #say(runId: string, given: Say, journal: SignalsOfJournal): Promise<void> {
    const { store, environment } = this.#host
    const say = withId(given, () => environment.newId())
    let told = Promise.withResolvers<void>()
    const subscription = new StoreSubscription(this.#host, (changed) => {
      if (changed === runId) told.resolve()
    })
    subscription.open()
    try {
      if (!journal.sayings.has(say.id)) {
        await enqueueSay({ store, clock: environment.clock }, runId, say, journal)
        await this.#followUp(runId)
      }
      for (;;) {
        told = Promise.withResolvers() // before the look: a change that the store tells during it counts
        const isQueued = await this.#isQueued(runId, say.id)
        await journal.catchUp(store) // after it was looked for: a message leaves the queue with its entry
        if (journal.sayings.isTaken(say.id)) return
        if (!isQueued) throw journal.sayings.refusedUnrecorded(say.id)
        // No news for so long: the owner may have ended the run without a look at the queue, or be gone.
        if ((await this.#pause(runId, told.promise)) === 'due') await this.#followUp(runId)
      }
    } finally {
      subscription.close()
    }
  }

  async #isQueued(runId: string, id: string): Promise<boolean> {
    const { items: queued } = await this.#host.store.list('signals', { runIds: [runId] })
    return queued.some(({ signal }) => signal.type === 'say' && signal.id === id)
  }

  /** Resolves when the store has told of a change, or a poll is due. Rejects when the troupe is closed. */
  #pause(runId: string, told: Promise<void>): Promise<'told' | 'due'> {
    const { closing, environment, pollInterval } = this.#host
    const { promise, resolve, reject } = Promise.withResolvers<'told' | 'due'>()
    const closed = (): void => reject(closedError(runId))
    const callOff = environment.clock.after(pollInterval, () => resolve('due'))
    void told.then(() => resolve('told'))
    closing.addEventListener('abort', closed, { once: true })
    if (closing.aborted) closed()
    return promise.finally(() => {
      callOff()
      closing.removeEventListener('abort', closed)
    })
  }

  /** Resumes the run: its owner may have just released it, and then no longer polls its queue. */
  async #followUp(runId: string): Promise<void> {
    try {
      await this.#host.resume(runId)
      await this.hear([runId])
    } catch (error) {
      if (isElsewhere(error) || this.#host.isClosed) return
      this.#host.report({ message: waits(runId), code: 'SIGNAL_WAITS', where: 'signal', error, runId })
    }
  }

  /** Passes on the queued signals of runs that may have no owner. */
  async hear(runIds: readonly string[]): Promise<void> {
    if (runIds.length === 0) return
    for (const queued of await this.#host.queue.fetch(runIds)) this.pass(queued)
  }

  pass(queued: QueuedSignal): void {
    this.#pass(queued).catch((error: unknown) => {
      this.#host.queue.putBack(queued)
      const { runId } = queued
      if (this.#host.otherProtocols.note(runId, error) === 'known') return
      this.#host.report({ message: waits(runId), code: 'SIGNAL_WAITS', where: 'signal', error, runId })
    })
  }

  async #pass(queued: QueuedSignal): Promise<void> {
    const { runId, signal } = queued
    try {
      const run = await this.#host.resume(runId, {}, endsRun(signal) ? signal : undefined)
      run.queued(queued)
    } catch (error) {
      if (!isElsewhere(error)) throw error
      this.#host.queue.putBack(queued) // the owner fetches it
    }
  }
}

// Passes a signal on to a run that is not replayed here: one of another release, whose charts this release does not
// have, or one that is left. It is queued for a worker that takes the run up. The index of the store has the open
// questions of the run, against which an answer is held here.

interface Host {
  readonly store: RunStore
  /** Rejects with a `RunNotFoundError`. */
  journal(runId: string): Promise<readonly JournalEntry[]>
}

/** An answer that needs no chart: the question is in the index. */
type Answer = Exclude<RunSignal, { readonly type: 'cancel' | 'say' }>

/**
 * Resolves when the store has accepted the signal. Rejects with a `SignalError` for an answer that the run does not wait
 * for, and with `mismatch` for a signal that only the charts of the run can check: a message, changed arguments, the
 * cancel of a delegation.
 */
async function passOn(host: Host, runId: string, signal: RunSignal, mismatch: unknown): Promise<void> {
  if (signal.type === 'cancel' && signal.delegationId === undefined) {
    if (!hasEnded(await host.journal(runId))) await host.store.enqueueSignal(runId, signal)
    return
  }
  if (signal.type === 'say' || signal.type === 'cancel' || changesArguments(signal)) throw mismatch
  // Each round means that the owner has appended another entry.
  while (!(await isQueued(host, runId, signal, mismatch)));
}

/** `false`: the journal has grown since it was read. */
async function isQueued(host: Host, runId: string, signal: Answer, mismatch: unknown): Promise<boolean> {
  const journal = await host.journal(runId)
  const { items } = await host.store.list('questions', { runId }) // after the journal: no later entry has removed one of them
  const { id, verb, data, always } = answerOf(signal)
  const key = signalsOf(journal, items, mismatch).claim(id, verb, data, always)
  const outcome = await host.store.enqueueSignal(runId, signal, { key, entries: journal.length })
  if (outcome === 'claimed') throw alreadyAnswered(id)
  return outcome === 'accepted'
}

function signalsOf(
  journal: readonly JournalEntry[],
  asked: readonly OpenQuestion[],
  mismatch: unknown,
): OpenSignals {
  const open = asked.map((question) => openSignal(question, mismatch))
  const isOpen = new Set(asked.map(({ toolCallId }) => toolCallId))
  const answered = journal.flatMap((entry) =>
    entry.type === 'signal.received' && entry.signal.type === 'answer' ? [entry.signal.id] : [],
  )
  return OpenSignals.of({
    open,
    answered: answered.filter((id) => !isOpen.has(id)),
    expired: [],
    isClosed: hasEnded(journal),
  })
}

/** Throws `mismatch` for a question without a key: its release did not write it. */
function openSignal(question: OpenQuestion, mismatch: unknown): OpenSignal {
  const { key, toolCallId, type, agent, toolName, args, payload, since, asOf } = question
  if (key === undefined) throw mismatch
  const asks = { id: toolCallId, type, agent, toolName, args }
  return { key, question: payload === undefined ? asks : { ...asks, payload }, since, asOf }
}

/** Another troupe owns the run, or has taken it as it came here, or is to take it: then nothing of a signal was kept. */
function isElsewhere(error: unknown): boolean {
  return (
    error instanceof RunOwnedError || error instanceof LeaseLostError || error instanceof TroupeDrainingError
  )
}

/** Its signals are held against the index: its charts are of another release, or workers have died of its journal. */
function isNotReplayed(error: unknown): boolean {
  return error instanceof RunLeftError || otherProtocolIn(error) !== undefined
}

function waits(runId: string): string {
  return `a signal for the run "${runId}" waits, because the run cannot go on`
}
