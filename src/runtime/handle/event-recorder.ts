/** Records the events of a run's machines with their source and time, and measures how long delegations take. */
import { SparseMap } from '../../actors/values/sparse.ts'
import type { MachineEvent } from '../../machines/contract/events.ts'
import { EventLog } from './event-log.ts'
import type { RunEvent } from './run-event.ts'
import type { Source } from '../../actors/actor-path.ts'

type Announcement = Exclude<MachineEvent, { type: 'held' } | { type: 'released' }>

/** An event that is being made. */
interface Recorded extends Pick<RunEvent, 'type' | 'payload' | 'seq' | 'at' | 'runId' | 'agent' | 'path'> {
  delegationId?: string
  conversationId?: string
  messageId?: string
}

/** The id of a message in the events of its run. `path`: of the agent. `message`: the key of the message in the agent. */
export function messageId(path: string, message: string): string {
  return `${path}:${message}`
}

interface RecordedRun {
  readonly runId: string
  /** The id of the root agent. */
  readonly agent: string
  readonly conversationId?: string
}

export interface EventRecorderOptions {
  readonly log?: EventLog | undefined
  /** Whether it is a part of a run whose root is elsewhere. */
  readonly isSubrun?: boolean
  /** Of a fork: the thread that its agents name so. Default: the name. */
  readonly threadNamed?: (name: string) => string
}

export class EventRecorder {
  /** The position in the journal of the entry that is being delivered. A passivated run keeps the recorder, not the engine. */
  entry = 0
  readonly log: EventLog
  readonly #runId: string
  readonly #root: string
  readonly #conversationId: string | undefined
  readonly #isSubrun: boolean
  readonly #threadNamed: EventRecorderOptions['threadNamed']
  readonly #startedAt = new SparseMap<string, number>()
  readonly #durations = new SparseMap<string, number>()
  /** By the paths of agents: the number of the present step. */
  readonly #steps = new SparseMap<string, number>()

  /** `log`: of this run, from before; events that it holds already are not published again. */
  constructor(
    { runId, agent, conversationId }: RecordedRun,
    { log = new EventLog(), isSubrun = false, threadNamed }: EventRecorderOptions,
  ) {
    this.#runId = runId
    this.#root = agent
    this.#conversationId = conversationId
    this.#isSubrun = isSubrun
    this.#threadNamed = threadNamed
    this.log = log
    log.rewind()
  }

  /** An event of a machine. */
  record(source: Source, event: Announcement, at: number): void {
    if (event.type === 'step-start') this.#steps.set(source.path, event.payload.step)
    const payload = this.#measured(source, event, at)
    const { agent, path, delegationId } = source
    const recorded: Recorded = {
      type: event.type,
      payload,
      seq: this.log.nextSeq,
      at,
      runId: this.#runId,
      agent,
      path,
    }
    // Assigned one by one: there are many events, and a copy of each costs more.
    if (delegationId !== undefined) recorded.delegationId = delegationId
    if (this.#conversationId !== undefined) recorded.conversationId = this.#conversationId
    if (event.message !== undefined) recorded.messageId = messageId(path, event.message)
    this.log.publish(recorded as RunEvent, this.entry)
  }

  /** An event of the run itself, in the name of its root agent. A subrun has none: its root is elsewhere. */
  recordRun<Type extends RunEvent['type']>(
    type: Type,
    payload: Extract<RunEvent, { type: Type }>['payload'],
    at: number,
    more: { readonly messageId?: string; readonly final?: true } = {},
  ): void {
    if (this.#isSubrun) return
    const agent = this.#root
    const conversationId = this.#conversationId
    const recorded = {
      type,
      payload,
      seq: this.log.nextSeq,
      at,
      runId: this.#runId,
      agent,
      path: agent,
      ...(conversationId === undefined ? {} : { conversationId }),
      ...more,
    }
    this.log.publish(recorded as RunEvent, this.entry)
  }

  /** The number of the present step of an agent; `undefined`: it has begun none. */
  stepOf(path: string): number | undefined {
    return this.#steps.get(path)
  }

  /** Logical milliseconds since a delegation started; 0 when it never did. */
  elapsed(delegationId: string, at: number): number {
    return at - (this.#startedAt.get(delegationId) ?? at)
  }

  /** Logical milliseconds that a settled delegation took. */
  durationOf(delegationId: string): number {
    return this.#durations.get(delegationId) ?? 0
  }

  #measured(source: Source, event: Announcement, at: number): Announcement['payload'] {
    if (event.type === 'delegation-start') {
      this.#startedAt.set(source.path, at)
      const named = this.#threadNamed
      return named === undefined
        ? event.payload
        : { ...event.payload, threadId: named(event.payload.threadId) }
    }
    if (event.type !== 'delegation-end') return event.payload
    const duration = this.elapsed(source.path, at)
    this.#durations.set(source.path, duration)
    return { ...event.payload, duration }
  }
}
