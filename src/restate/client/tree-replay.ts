/**
 * Replays a run with all its workflows, while it goes on or afterwards. Each workflow has a journal of its own; the
 * entries of a subagent are delivered before the entry by which its parent receives them.
 */
import { isInChain, parentPath } from '../../actors/actor-path.ts'
import type { InspectionEvent } from 'xstate'
import type { JournalMismatch } from '../../errors.ts'
import { EventLog } from '../../runtime/handle/event-log.ts'
import type { JournalPart } from '../../runtime/handle/journal-part.ts'
import type { RunEvent, ModelCallEnd } from '../../runtime/handle/run-event.ts'
import { nextTask } from '../../actors/values/order.ts'
import { startedOf, type JournalEntry } from '../../runtime/journal/journal.ts'
import type { AgentRegistry } from '../../runtime/definition/registry.ts'
import type { Reporter } from '../../runtime/report.ts'
import type { RunError } from '../../runtime/handle/result.ts'
import { PartReplay, type ReplayObserver } from './part-replay.ts'
import type { LastTurn, ReadReply, RunRequest, Turn } from '../wire/wire.ts'
import { Attempts } from '../deltas/attempts.ts'
import type { WorkerDelta } from '../deltas/deltas.ts'

export interface TreeReplayOptions {
  readonly registry: AgentRegistry
  /** The root agent's id. */
  readonly agent: string
  /** Reads the journal of the agent at `path`, from the turn `from` on. */
  readonly read: (agent: string, path: string, from: number) => Promise<ReadReply>
  readonly inspect?: ((event: InspectionEvent) => void) | undefined
  readonly report?: Reporter | undefined
  /** Called with each effect whose input differs from the recorded one. Default: such an effect is a mismatch. */
  readonly onDiverged?: ((difference: JournalMismatch) => void) | undefined
  /** Makes the observer of the journal of the agent at `path`. `log`: the events of the whole run. */
  readonly observe?: (path: string, log: EventLog) => ReplayObserver
}

/** The number of entries that are delivered before other work of the process gets its turn. */
const slice = 50

/** The state of one workflow, as far as it is known. */
interface Branch {
  readonly agent: string
  readonly path: string
  /** Its journal, as far as it was read. */
  readonly turns: (readonly JournalEntry[])[]
  /** Entries that were read and are not delivered yet. */
  readonly untold: Untold[]
  readonly subagents: Map<string, Branch>
  readonly journal: JournalPart
  readonly schedule: PollSchedule
  replay?: PartReplay
}

/**
 * The schedule by which a workflow is polled: at each poll while it makes progress, and then ever more rarely, so that
 * many idle workflows cost little. A workflow that has been quiet for some polls is skipped for half as many.
 */
const longestRest = 40

export class PollSchedule {
  /** Polls since its last progress. */
  #quiet = 0
  /** Polls that are still to be skipped. */
  #rest = 0

  /** Whether this poll reads the workflow. */
  isDue(): boolean {
    this.#quiet++
    if (this.#rest === 0) return true
    this.#rest--
    return false
  }

  wasRead(hasMoved: boolean): void {
    if (hasMoved) this.#quiet = 0
    this.#rest = Math.min(Math.floor(this.#quiet / 2), longestRest)
  }

  /** The workflow may have received a signal. */
  wake(): void {
    this.#quiet = 0
    this.#rest = 0
  }
}

interface Untold {
  readonly entry: JournalEntry
  /** The ends of the parts that it may settle. */
  readonly ends: Turn['ends']
}

export class TreeReplay {
  /** The events of the whole run. */
  readonly log = new RunLog()
  readonly #options: TreeReplayOptions
  readonly #root: Branch
  /** The number of entries that were delivered. */
  #told = 0

  constructor(options: TreeReplayOptions) {
    this.#options = options
    this.#root = branchOf(options.agent, options.agent, this.log.journal)
  }

  /** Absent while the run has not begun. */
  get root(): PartReplay | undefined {
    return this.#root.replay
  }

  get hasEnded(): boolean {
    return this.root?.state.isSettled === true
  }

  /**
   * Returns the workflow of the agent at `path`, which may be a successor of the agent that the workflow began with.
   */
  part(path: string, from = this.#root): Pick<Branch, 'agent' | 'path' | 'replay'> | undefined {
    if (isInChain(path, from.path)) return from
    const next = [...from.subagents.values()].find((one) => path.startsWith(`${parentPath(one.path)}/`))
    return next && this.part(path, next)
  }

  /** All workflows that were read, parents first. */
  *branches(from = this.#root): Generator<Pick<Branch, 'path' | 'turns' | 'replay' | 'schedule'>> {
    yield from
    for (const subagent of from.subagents.values()) yield* this.branches(subagent)
  }

  /** The known errors: of the root agent with all that has ended below it, then of agents in progress. */
  errors({ replay, subagents }: Branch = this.#root): readonly RunError[] {
    const live = replay?.subagents().flatMap(({ path }) => subagents.get(path) ?? []) ?? []
    return [...(replay?.state.errors.toArray() ?? []), ...live.flatMap((subagent) => this.errors(subagent))]
  }

  /** Delivers the entries that exist by now. Rejects as `PartReplay.tell` throws, and as `read` rejects. */
  async pump(): Promise<void> {
    await this.#pump(this.#root)
  }

  /** The next `pump` reads all workflows that may have made progress. */
  wake(): void {
    for (const { schedule } of this.branches()) schedule.wake()
  }

  /** `until`: later entries are delivered later, so that they do not overtake the entries before them. */
  async #pump(part: Branch, until = Number.POSITIVE_INFINITY): Promise<void> {
    await this.#read(part)
    await this.#tellOn(part, until)
  }

  /** A workflow that has been quiet may be skipped; the workflows below it are not skipped by that. */
  async #glance(part: Branch): Promise<void> {
    if (part.schedule.isDue()) await this.#read(part)
    await this.#tellOn(part)
  }

  async #read(part: Branch): Promise<void> {
    const before = part.turns.length
    for (let isMore = true; isMore;) {
      const reply = await this.#options.read(part.agent, part.path, part.turns.length)
      for (const turn of reply.turns) take(part, turn)
      isMore = reply.isMore === true
    }
    part.schedule.wasRead(part.turns.length > before)
  }

  async #tellOn(part: Branch, until = Number.POSITIVE_INFINITY): Promise<void> {
    const [first] = part.untold
    if (first === undefined && part.replay === undefined) return // the workflow has not begun
    part.replay ??= this.#open(part, { started: startedOf(first === undefined ? [] : [first.entry]) })
    for (let [next] = part.untold; next !== undefined && next.entry.at <= until; [next] = part.untold) {
      await this.#tell(part, part.replay, next)
      part.untold.shift() // not before: an entry that cannot be delivered now is retried at the next poll
      if (++this.#told % slice === 0) await new Promise<void>(nextTask)
    }
    const live = part.replay.subagents().flatMap(({ path }) => part.subagents.get(path) ?? [])
    const glances = await Promise.allSettled(live.map((subagent) => this.#glance(subagent)))
    // All have settled before the next poll begins.
    for (const glance of glances) if (glance.status === 'rejected') throw glance.reason
  }

  async #tell(part: Branch, replay: PartReplay, { entry, ends }: Untold): Promise<void> {
    const ended = part.subagents.get(replay.endOf(entry) ?? '')
    const reporting = part.subagents.get(noticeOf(entry) ?? '')
    if (ended !== undefined) {
      await this.#tellAll(ended, ends?.[ended.path])
      ended.journal.end(replay.entries)
    }
    if (reporting !== undefined) await this.#pump(reporting, entry.at)
    replay.tell(entry)
    this.#branchOut(part, replay)
  }

  /** Delivers all entries of a part that has ended. `last`: the turn that it has left to its parent. */
  async #tellAll(part: Branch, last: LastTurn | undefined): Promise<void> {
    if (last === undefined || part.turns.length < last.after) await this.#read(part)
    if (last?.after === part.turns.length) take(part, last) // a poll that failed may have taken it
    await this.#tellOn(part)
  }

  /** Adds the subagents that were requested. The start of a part follows from its request. */
  #branchOut(part: Branch, replay: PartReplay): void {
    for (const subagent of replay.subagents()) {
      const { agent, path } = subagent
      if (part.subagents.has(path)) continue
      const branch = branchOf(agent, path, part.journal.begin(path, replay.entries - 1))
      const opened = this.#open(branch, replay.requestOf(subagent))
      branch.replay = opened
      part.subagents.set(path, branch)
      opened.begin()
      this.#branchOut(branch, opened)
    }
  }

  #open({ path, journal }: Branch, request: RunRequest): PartReplay {
    const { registry, inspect, report, onDiverged, observe } = this.#options
    const log = path === this.#root.path ? this.log : new Tributary(this.log, journal)
    const observer = observe?.(path, this.log)
    return new PartReplay({ registry, request, log, inspect, report, onDiverged, observer })
  }
}

/** The event log of a run for its readers: events from the journals, and deltas that workers stream beside them. */
export class RunLog extends EventLog {
  readonly #attempts = new Attempts()

  /** Takes a delta from a worker. */
  hear(heard: WorkerDelta): void {
    const admitted = this.#attempts.admit(heard)
    if (admitted !== undefined) this.stream(admitted.delta, admitted.isFirst)
  }

  override conclude(message: ModelCallEnd): void {
    this.#attempts.conclude(message.messageId)
    super.conclude(message)
  }
}

function branchOf(agent: string, path: string, journal: JournalPart): Branch {
  return {
    agent,
    path,
    journal,
    turns: [],
    untold: [],
    subagents: new Map(),
    schedule: new PollSchedule(),
  }
}

function take(part: Branch, { entries, ends }: Turn): void {
  part.turns.push(entries)
  part.untold.push(...entries.map((entry) => ({ entry, ends })))
}

/** Returns the path of a subagent that reports its hold or release. */
function noticeOf(entry: JournalEntry): string | undefined {
  const isNotice =
    entry.type === 'signal.received' && (entry.signal.type === 'held' || entry.signal.type === 'released')
  return isNotice ? (entry.signal as { readonly path: string }).path : undefined
}

/** Forwards the events of a part to the log of the whole run. */
class Tributary extends EventLog {
  readonly #whole: EventLog
  readonly #part: JournalPart

  constructor(whole: EventLog, part: JournalPart) {
    super()
    this.#whole = whole
    this.#part = part
  }

  override publish(event: RunEvent, entry: number): void {
    this.#whole.publish({ ...event, seq: this.#whole.nextSeq }, entry, this.#part)
  }

  override conclude(message: ModelCallEnd): void {
    this.#whole.conclude(message)
  }
}
