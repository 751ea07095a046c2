/** Records the trail of one journal while it is replayed. */
import type { AnyActorRef, InspectedMicrostepEvent, InspectionEvent } from 'xstate'
import { effectKey } from '../../actors/actor-path.ts'
import type { JsonValue } from '../../actors/values/json.ts'
import { parentOf } from '../../actors/xstate-internals.ts'
import type { RunEvent } from '../handle/run-event.ts'
import type { JournalEntry } from '../journal/journal.ts'
import {
  frameOf,
  identityOf,
  machineOf,
  viewOf,
  type ActorView,
  type ActorFrame,
  type ActorIdentity,
} from '../replay/actor-view.ts'
import { StateNames } from './state-names.ts'
import { StepReader } from './step-reader.ts'
import {
  assertEntries,
  keyOf,
  type EndedActor,
  type TrailActor,
  type TrailEntry,
  type TrailTransition,
} from './trail.ts'

interface Change {
  /** The number of entries that led to it. */
  readonly after: number
  readonly frame: ActorFrame<ActorHistory>
}

/**
 * An actor of a run over all entries of its journal. It keeps the data of each snapshot that an entry has left, which shares
 * its storage with those before it, and not the snapshot itself: that would keep every actor of the run in memory.
 */
class ActorHistory {
  readonly identity: ActorIdentity
  /** In the order of the entries. */
  #changes: readonly Change[] = []

  constructor(identity: ActorIdentity) {
    this.identity = identity
  }

  changed(after: number, frame: ActorFrame<ActorHistory>): void {
    this.#changes = appended(this.#changes, { after, frame })
  }

  /** The actor after a number of entries; `undefined` before it existed. */
  at(entries: number): ActorFrame<ActorHistory> | undefined {
    return lastUntil(this.#changes, entries)?.frame
  }

  /** The view of the actor after a number of entries, with those below it; none before it existed. */
  views(entries: number): readonly ActorView[] {
    const frame = this.at(entries)
    if (frame === undefined) return []
    const children = frame.children.flatMap((child) => child.views(entries))
    return [viewOf(this.identity, frame, children)]
  }

  /** The actor at a path, itself or below, that existed after a number of entries. */
  find(path: string, entries: number): ActorHistory | undefined {
    if (this.identity.path === path) return this
    const next = this.at(entries)?.children.find(({ identity }) => `${path}/`.startsWith(`${identity.path}/`))
    return next?.find(path, entries)
  }

  /** As `find`; an actor that has ended by then is found where it was last. */
  findLast(path: string, entries: number): ActorHistory | undefined {
    if (this.identity.path === path) return this
    for (let change = countUntil(this.#changes, entries) - 1; change >= 0; change--) {
      const { children = [] } = this.#changes[change]?.frame ?? {}
      const found = children.findLast(({ identity }) => `${path}/`.startsWith(`${identity.path}/`))
      const last = found?.findLast(path, entries)
      if (last !== undefined) return last
    }
    return undefined
  }
}

/** The last item that belongs to at most this number of entries: a binary search. */
function lastUntil<Item extends { readonly after: number }>(
  items: readonly Item[],
  entries: number,
): Item | undefined {
  return items[countUntil(items, entries) - 1]
}

function countUntil(items: readonly { readonly after: number }[], entries: number): number {
  let low = 0
  for (let high = items.length; low < high;) {
    const middle = (low + high) >>> 1
    if ((items[middle]?.after ?? Number.POSITIVE_INFINITY) <= entries) low = middle + 1
    else high = middle
  }
  return low
}

/** Most actors change twice: a list that is pushed to would reserve room for many more changes. */
const few = 4

function appended(changes: readonly Change[], change: Change): readonly Change[] {
  if (changes.length < few) return [...changes, change]
  ;(changes as Change[]).push(change)
  return changes
}

/** The root agent, or a successor, from a number of entries on. */
interface Root {
  readonly after: number
  readonly history: ActorHistory
}

/** What a replay has after an entry. */
export interface Delivered {
  readonly entry: JournalEntry
  /** The root agent. */
  readonly agent: AnyActorRef
  /** The events that the entry led to. */
  readonly events: readonly RunEvent[]
  /** What the hook was given whose outcome the entry is. */
  readonly asked?: JsonValue | undefined
}

export class TrailRecorder {
  readonly #journal: string
  readonly #states = new StateNames()
  readonly #steps = new StepReader(this.#states)
  /** By their paths, how often effects were requested. */
  readonly #requests = new Map<string, number>()
  readonly #roots: Root[] = []
  #length = 0
  // Since the last entry:
  #touched: RecordedActor[] = []
  #started: RecordedActor[] = []
  #taken: InspectedMicrostepEvent[] = []

  /** `journal`: the path of the agent that the journal is of. */
  constructor(journal: string) {
    this.#journal = journal
  }

  /** The number of entries that were recorded. */
  get length(): number {
    return this.#length
  }

  /** To be the inspector of the run. It only collects: an inspector that throws would be reported and not heard. */
  readonly inspect = (event: InspectionEvent): void => {
    const ref = event.actorRef as AnyActorRef
    // Actions are told by the step that they belong to. The root of the run is no part of the trail.
    if (event.type === '@xstate.action' || parentOf(ref) === undefined) return
    const actor = RecordedActor.of(ref)
    if (!actor.isTouched) {
      actor.isTouched = true
      this.#touched.push(actor)
    }
    if (event.type === '@xstate.microstep') this.#taken.push(event)
    else if (event.type === '@xstate.event' && event.event.type === 'xstate.init') this.#started.push(actor)
  }

  /** Records what has happened since the entry before. */
  delivered({ entry, agent, events, asked }: Delivered): TrailEntry {
    const position = this.#length++
    const [touched, started, taken] = [this.#touched, this.#started, this.#taken]
    this.#touched = []
    this.#started = []
    this.#taken = []
    const transitions: TrailTransition[] = []
    for (const step of taken)
      this.#steps.read(RecordedActor.of(step.actorRef as AnyActorRef), step, transitions)
    const actorsAdded = started.map((actor) => this.#added(actor))
    const actorsEnded: EndedActor[] = []
    for (const actor of touched) {
      const ended = actor.changed(this.#length, this.#states)
      if (ended !== undefined) actorsEnded.push(ended)
    }
    const { history } = RecordedActor.of(agent)
    if (this.#roots.at(-1)?.history !== history) this.#roots.push({ after: this.#length, history })
    const { type, at } = entry
    const given = asked === undefined ? {} : { asked }
    const led = { ...given, transitions, events, actorsAdded, actorsEnded }
    const key = keyOf(entry)
    const journal = this.#journal
    return key === undefined
      ? { journal, entry: position, type, at, recorded: entry, ...led }
      : { journal, entry: position, type, at, recorded: entry, key, ...led }
  }

  /**
   * The actors after a number of entries. `path`: that of the one actor to view. `ended`: also where it has ended by then.
   * Throws a `ConfigurationError`.
   */
  view(entries: number, path?: string, ended = false): readonly ActorView[] {
    assertEntries(entries, this.#length)
    const root = lastUntil(this.#roots, entries)?.history
    const actor =
      path === undefined
        ? root
        : (root?.find(path, entries) ?? (ended ? this.#last(path, entries) : undefined))
    return actor?.views(entries) ?? []
  }

  #last(path: string, entries: number): ActorHistory | undefined {
    const roots = this.#roots.slice(0, countUntil(this.#roots, entries)).toReversed()
    for (const { history } of roots) {
      const found = history.findLast(path, entries)
      if (found !== undefined) return found
    }
    return undefined
  }

  #added(actor: RecordedActor): TrailActor {
    const { path, effect } = actor.history.identity
    if (effect === undefined) return actor.started(undefined)
    const count = (this.#requests.get(path) ?? 0) + 1
    this.#requests.set(path, count)
    return actor.started(effectKey(path, count))
  }
}

const recordKey = Symbol.for('troupe.trail')

/** An actor while the trail of its run is recorded. */
class RecordedActor {
  readonly ref: AnyActorRef
  readonly history: ActorHistory
  /** The name of its state; absent before its first step. */
  state?: string
  /** Whether something has happened to it since the last entry. */
  isTouched = false
  #snapshot: unknown
  #started: TrailActor | undefined
  #hasEnded = false

  private constructor(ref: AnyActorRef) {
    this.ref = ref
    this.history = new ActorHistory(identityOf(ref))
  }

  /** The record of an actor, which the actor itself holds: it goes with the actor. */
  static of(ref: AnyActorRef): RecordedActor {
    const holder = ref as { [recordKey]?: RecordedActor }
    return (holder[recordKey] ??= new RecordedActor(ref))
  }

  get path(): string {
    return this.history.identity.path
  }

  /** `key`: of an effect. */
  started(key: string | undefined): TrailActor {
    const { path, effect } = this.history.identity
    const machine = machineOf(this.ref)
    const started: { -readonly [Name in keyof TrailActor]: TrailActor[Name] } = { path }
    if (machine !== undefined) started.machine = machine
    if (effect !== undefined) started.effect = effect
    if (key !== undefined) started.key = key
    this.#started = started
    return started
  }

  /** Keeps its snapshot if it is another; returns the actor if it has ended by it. */
  changed(after: number, states: StateNames): EndedActor | undefined {
    this.isTouched = false
    const snapshot: unknown = this.ref.getSnapshot()
    if (this.#snapshot === snapshot) return undefined
    this.#snapshot = snapshot
    const { status, machine, state, context, children } = frameOf(this.ref)
    this.history.changed(after, {
      status,
      machine,
      state: state === undefined ? undefined : states.of(state).value,
      context,
      children: children.map((child) => RecordedActor.of(child).history),
    })
    if (this.#started === undefined || this.#hasEnded || !isEnd(status)) return undefined
    this.#hasEnded = true
    return { ...this.#started, status }
  }
}

function isEnd(status: string): status is EndedActor['status'] {
  return status === 'done' || status === 'error' || status === 'stopped'
}
