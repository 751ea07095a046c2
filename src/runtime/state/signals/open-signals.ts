/**
 * The signals that a run accepts: its open questions, the tasks that may be cancelled, and the errors of refused
 * signals. It holds data alone, so that it outlives the actors of a passivated run.
 */
import { SparseMap, SparseSet } from '../../../actors/values/sparse.ts'
import type { EffectInput } from '../../../actors/effects/effect-kinds.ts'
import type { JsonValue } from '../../../actors/values/json.ts'
import { agentPath, asksAboutPlan, requesterOf } from '../../../actors/actor-path.ts'
import { SignalError } from '../../../errors.ts'
import { mostSayings } from '../../../machines/contract/sayings.ts'
import { refusedSaying } from './taken-sayings.ts'
import type { AwaitedSignal } from '../../../machines/contract/events.ts'
import type { OpenQuestion } from '../../journal/run-index.ts'

type Question = EffectInput<'signal'>

/** One open question. */
export interface OpenSignal {
  readonly key: string
  readonly question: Question
  /** Logical time at which it was opened, and the number of entries by then. */
  readonly since: number
  readonly asOf: number
}

export type SignalVerb = 'approve' | 'deny' | 'resume'

const expectedVerb = { approval: 'approve', suspension: 'resume', interruption: 'resume' } as const

/** The questions of a run as plain data. */
export interface OpenSignalsData {
  readonly open: readonly OpenSignal[]
  readonly answered: readonly string[]
  readonly expired: readonly string[]
  readonly isClosed: boolean
  readonly isRestored?: true
}

export class OpenSignals {
  readonly #open = new SparseMap<string, OpenSignal>()
  /** By call, as the index of the store has it. */
  readonly #questions = new SparseMap<string, OpenQuestion>()
  readonly #answered = new SparseSet<string>()
  readonly #expired = new SparseSet<string>()
  /** Delegations, and tool calls in the background, that are in progress, by id. */
  readonly #tasks = new SparseSet<string>()
  readonly #cancelling = new SparseSet<string>()
  /** Ids of queued answers that the store has accepted and the journal does not hold yet. */
  readonly #arriving = new SparseSet<number>()
  /** Ids of messages of people that are not delivered yet. */
  readonly #sayings = new SparseSet<string>()
  #isClosed = false
  /** The run goes on from an earlier point. */
  #isRestored = false

  static of({ open, answered, expired, isClosed, isRestored }: OpenSignalsData): OpenSignals {
    const signals = new OpenSignals()
    signals.#isRestored = isRestored === true
    for (const { key, question, since, asOf } of open) signals.open(key, question, since, asOf)
    for (const id of answered) signals.#answered.add(id)
    for (const id of expired) signals.#expired.add(id)
    signals.#isClosed = isClosed
    return signals
  }

  toJSON(): OpenSignalsData {
    return {
      open: [...this.#open.values()],
      answered: [...this.#answered],
      expired: [...this.#expired],
      isClosed: this.#isClosed,
      ...(this.#isRestored ? { isRestored: true as const } : {}),
    }
  }

  /** Whether the run has ever opened a question. */
  get wasAsked(): boolean {
    return this.#open.size + this.#answered.size + this.#expired.size > 0
  }

  open(key: string, question: Question, since: number, asOf: number): void {
    this.#open.set(question.id, { key, question, since, asOf })
    this.#questions.delete(question.id)
    this.#answered.delete(question.id) // a tool may suspend again
  }

  /** The open question `id`. */
  questionOf(id: string): Question | undefined {
    return this.#open.get(id)?.question
  }

  /**
   * Takes an answer for the open signal `id`, once, and returns its key. Else throws a `SignalError`, without effect.
   */
  claim(id: string, verb: SignalVerb, data?: JsonValue, always = false): string {
    const open = this.#open.get(id)
    if (this.#answered.has(id)) {
      throw new SignalError('SIGNAL_ALREADY_ANSWERED', id, `Cannot ${verb} "${id}": it was answered before.`)
    }
    if (this.#expired.has(id) || (this.#isClosed && open !== undefined)) {
      throw new SignalError('SIGNAL_TOO_LATE', id, `Cannot ${verb} "${id}": its call has ended.`)
    }
    if (open === undefined) {
      const known = [...this.#open.keys()].join(', ') || 'nothing'
      throw new SignalError('UNKNOWN_SIGNAL', id, `Cannot ${verb} "${id}": the run waits for ${known}.`)
    }
    assertFits(open, verb, data, always)
    this.#answered.add(id)
    return open.key
  }

  /** Notes an answer that the store has accepted and the journal does not hold yet. */
  arriving(queued: number): void {
    this.#arriving.add(queued)
  }

  /**
   * Takes an answer that the store has accepted for the question `key`. An answer or a cancel of this process that is
   * not in the journal yet does not prevent it; one that is in the journal does, by a `SignalError`.
   */
  accept(key: string, id: string, verb: SignalVerb, data?: JsonValue, always = false): void {
    const open = this.#open.get(id)
    if (open?.key !== key) {
      this.claim(id, verb, data, always)
      this.giveBack(id)
      throw new SignalError('SIGNAL_TOO_LATE', id, `Cannot ${verb} "${id}": it asks something else by now.`)
    }
    assertFits(open, verb, data, always)
    this.#answered.add(id)
  }

  arrived(queued: number): void {
    this.#arriving.delete(queued)
  }

  /** Whether no signal is taken any more: the run is being cancelled, or has ended. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Takes an answer back that did not reach the run: it may be given again. */
  giveBack(id: string): void {
    if (this.#open.has(id)) this.#answered.delete(id)
  }

  get hasTasks(): boolean {
    return this.#tasks.size > 0
  }

  taskStarted(id: string): void {
    this.#tasks.add(id)
  }

  taskEnded(id: string): void {
    this.#tasks.delete(id)
    this.#cancelling.delete(id)
  }

  /** Takes the cancel of a task. Throws a `SignalError` where the task is not in progress. */
  claimCancel(id: string): void {
    if (this.#isClosed || !this.#tasks.has(id)) {
      const known = [...this.#tasks].join(', ') || 'none'
      const message = `Cannot cancel "${id}": no such delegation or background task is under way. There are: ${known}.`
      throw new SignalError('UNKNOWN_SIGNAL', id, message)
    }
    this.#cancelling.add(id)
  }

  /** The cancel of a task was delivered. */
  cancelled(id: string): void {
    this.#cancelling.delete(id)
  }

  /**
   * Takes a message of a person. Throws a `SignalError` where the run is being cancelled or has ended, and while as many
   * as may wait are on their way.
   */
  claimSaying(id: string): void {
    if (this.#isClosed) throw refusedSaying(id, 'SIGNAL_TOO_LATE')
    if (this.#sayings.size >= mostSayings) throw refusedSaying(id, 'SIGNAL_TOO_MANY')
    this.#sayings.add(id)
  }

  /** A message was delivered, or did not reach the run. */
  said(id: string): void {
    this.#sayings.delete(id)
  }

  /** Whether an answer, a message or a cancel is not delivered yet. */
  get isAnswering(): boolean {
    if (this.#isClosed || this.#cancelling.size + this.#arriving.size + this.#sayings.size > 0) return true
    return [...this.#open.keys()].some((id) => this.#answered.has(id))
  }

  settled(key: string, { id }: Question): void {
    if (this.#open.get(id)?.key !== key) return
    this.#open.delete(id)
    this.#questions.delete(id)
    this.#answered.add(id)
  }

  expired(key: string, { id }: Question): void {
    if (this.#open.get(id)?.key !== key) return
    this.#open.delete(id)
    this.#questions.delete(id)
    if (!this.#answered.has(id)) this.#expired.add(id)
  }

  /** The run goes on from an earlier point: each question, from now on too, says so. */
  restored(): void {
    this.#isRestored = true
    for (const id of this.#open.keys()) this.#questions.delete(id)
  }

  /** The run is being cancelled or has ended: answers come too late. */
  close(): void {
    this.#isClosed = true
  }

  awaiting(): AwaitedSignal[] {
    return Array.from(this.#open.values(), ({ question }) => awaitedSignal(question, this.#isRestored))
  }

  /** The questions that take an answer, with their keys. The same question is the same object each time. */
  questions(runId: string): { readonly key: string; readonly question: OpenQuestion }[] {
    if (this.#isClosed) return []
    return Array.from(this.#open.values(), (open) => {
      const known = this.#questions.get(open.question.id) ?? openQuestion(runId, open, this.#isRestored)
      this.#questions.set(open.question.id, known)
      return { key: open.key, question: known }
    })
  }
}

/** The question as the index of a store has it. */
export function openQuestion(
  runId: string,
  { key, question, since, asOf }: OpenSignal,
  isRestored = false,
): OpenQuestion {
  return {
    runId,
    ...awaitedSignal(question, isRestored),
    path: agentPath(requesterOf(key)),
    since,
    asOf,
    key,
  }
}

function awaitedSignal(question: Question, isRestored: boolean): AwaitedSignal {
  return {
    toolCallId: question.id,
    type: question.type,
    agent: question.agent,
    toolName: question.toolName,
    args: question.args,
    ...(question.payload === undefined ? {} : { payload: question.payload }),
    ...(question.isClient === undefined ? {} : { isClient: question.isClient }),
    ...(isRestored ? { restored: true as const } : {}),
  }
}

/** Throws a `SignalError`. */
function assertFits(
  { question: { id, type } }: OpenSignal,
  verb: SignalVerb,
  data: JsonValue | undefined,
  always: boolean,
): void {
  if (verb !== 'deny' && verb !== expectedVerb[type]) {
    throw new SignalError(
      'SIGNAL_TYPE_MISMATCH',
      id,
      `Cannot ${verb} "${id}": use ${expectedVerb[type]} or deny.`,
    )
  }
  if (always && type !== 'approval') {
    throw new SignalError(
      'SIGNAL_TYPE_MISMATCH',
      id,
      `Cannot ${verb} "${id}" always: only a decision about an approval holds for later calls.`,
    )
  }
  if (always && asksAboutPlan(id)) {
    throw new SignalError(
      'SIGNAL_TYPE_MISMATCH',
      id,
      `Cannot ${verb} "${id}" always: a plan is decided each time, also when it is revised.`,
    )
  }
  if (type === 'interruption' && verb === 'resume' && !isVerdict(data)) {
    throw new SignalError(
      'SIGNAL_TYPE_MISMATCH',
      id,
      `Cannot resume "${id}" with ${JSON.stringify(data)}: its tool was interrupted. Expected { retry: true } or { result: … }.`,
    )
  }
}

/** Whether `data` decides about a call that was interrupted: it is called again, or has this result. */
export function isVerdict(data: JsonValue | undefined): boolean {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return false
  const [name, ...others] = Object.keys(data)
  return (
    others.length === 0 && ((name === 'retry' && Reflect.get(data, 'retry') === true) || name === 'result')
  )
}
