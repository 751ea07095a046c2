/** Records the trail of one journal while an engine replays it. */
import type { AnyActorRef, InspectedMicrostepEvent, InspectionEvent } from 'xstate'
import { effectKey } from '../../actors/actor-path.ts'
import { hasDoor } from '../../actors/effect.ts'
import type { RunEvent } from '../handle/run-event.ts'
import type { JournalEntry } from '../journal/journal.ts'
import { frameOf, identityOf, type ActorView } from '../replay/actor-view.ts'
import { ActorHistory, lastUntil } from './actor-history.ts'
import { StepReader } from './step-reader.ts'
import { assertEntries, type EndedActor, type TrailActor, type TrailEntry } from './trail.ts'

/** An actor, as far as it is recorded. */
interface Known {
  readonly history: ActorHistory
  snapshot?: unknown
  /** Set when it starts. */
  as?: TrailActor
  hasEnded?: true
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
}

export class TrailRecorder {
  readonly #journal: string
  readonly #known = new WeakMap<AnyActorRef, Known>()
  readonly #steps = new StepReader()
  /** By their paths, how often effects were requested. */
  readonly #requests = new Map<string, number>()
  readonly #roots: Root[] = []
  #length = 0
  // Since the last entry:
  #touched = new Set<AnyActorRef>()
  #started: AnyActorRef[] = []
  #taken: InspectedMicrostepEvent[] = []

  /** `journal`: the path of the agent that the journal is of. */
  constructor(journal: string) {
    this.#journal = journal
  }

  get length(): number {
    return this.#length
  }

  /** To be the inspector of the engine. It only collects: an inspector that throws would be reported and not heard. */
  readonly inspect = (event: InspectionEvent): void => {
    const actor = event.actorRef as AnyActorRef
    switch (event.type) {
      case '@xstate.microstep':
        this.#taken.push(event)
        break
      case '@xstate.event':
        if (event.event.type === 'xstate.init') this.#started.push(actor)
        break
      case '@xstate.actor':
      case '@xstate.snapshot':
        break
      default:
        return
    }
    this.#touched.add(actor)
  }

  /** Records what has happened since the entry before. */
  delivered({ entry, agent, events }: Delivered): TrailEntry {
    const position = this.#length++
    const [touched, started, taken] = [this.#touched, this.#started, this.#taken]
    this.#touched = new Set()
    this.#started = []
    this.#taken = []
    const actorsAdded = started.flatMap((actor) => (hasDoor(actor) ? [] : this.#added(actor)))
    const actorsEnded: EndedActor[] = []
    for (const actor of touched) if (!hasDoor(actor)) actorsEnded.push(...this.#changed(actor))
    const { history } = this.#recordOf(agent)
    if (this.#roots.at(-1)?.history !== history) this.#roots.push({ after: this.#length, history })
    return {
      journal: this.#journal,
      entry: position,
      type: entry.type,
      at: entry.at,
      ...keyOf(entry),
      transitions: taken.flatMap((step) => this.#steps.read(step)),
      events,
      actorsAdded,
      actorsEnded,
    }
  }

  /** The actors after a number of entries. `path`: that of the one actor to view. Throws a `ConfigurationError`. */
  view(entries: number, path?: string): readonly ActorView[] {
    assertEntries(entries, this.#length)
    const root = lastUntil(this.#roots, entries)?.history
    const actor = path === undefined ? root : root?.find(path, entries)
    return actor?.views(entries) ?? []
  }

  #recordOf(actor: AnyActorRef): Known {
    const known = this.#known.get(actor) ?? { history: new ActorHistory(identityOf(actor)) }
    this.#known.set(actor, known)
    return known
  }

  #added(actor: AnyActorRef): TrailActor {
    const known = this.#recordOf(actor)
    const { path, effect } = known.history.identity
    const { machine } = frameOf(actor)
    const added: TrailActor = {
      path,
      ...(machine === undefined ? {} : { machine }),
      ...(effect === undefined ? {} : { effect, key: effectKey(path, this.#countOf(path)) }),
    }
    known.as = added
    return added
  }

  #countOf(path: string): number {
    const count = (this.#requests.get(path) ?? 0) + 1
    this.#requests.set(path, count)
    return count
  }

  /** Keeps the snapshot of an actor if it is another; returns the actor if it has ended by it. */
  #changed(actor: AnyActorRef): readonly EndedActor[] {
    const known = this.#recordOf(actor)
    const snapshot: unknown = actor.getSnapshot()
    if (known.snapshot === snapshot) return []
    known.snapshot = snapshot
    const { state, children, ...frame } = frameOf(actor)
    known.history.changed(this.#length, {
      ...frame,
      ...(state === undefined ? {} : { state: this.#steps.shared(state) }),
      children: children.map((child) => this.#recordOf(child).history),
    })
    const { status } = frame
    if (known.as === undefined || known.hasEnded === true || !isEnd(status)) return []
    known.hasEnded = true
    return [{ ...known.as, status }]
  }
}

function isEnd(status: string): status is EndedActor['status'] {
  return status === 'done' || status === 'error' || status === 'stopped'
}

function keyOf(entry: JournalEntry): { readonly key?: string } {
  if ('key' in entry) return { key: entry.key }
  if (entry.type !== 'signal.received' || entry.signal.type !== 'answer') return {}
  return { key: entry.signal.key }
}
