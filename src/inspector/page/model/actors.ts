/** The actors of a run, by their paths, in a tree. */
import { lastId, parentPath } from '../../../kit/index.ts'
import type { EndedActor, TrailActor } from '../../../kit/host.ts'
import type { Row, RowChoice, RowEvent, RowScore, RowTransition } from '../../wire/rows.ts'
import { Actor } from './actor.ts'
import { addRow, countUntil } from './sorted.ts'
import { Sums } from './sums.ts'

/** Events that tell what a call or a delegation is about. */
const tells: readonly string[] = [
  'tool-call',
  'tool-call-approval',
  'delegation-start',
  'delegation-rejected',
]

/** A path with the actors that were there, one after another. */
export class ActorPlace {
  readonly path: string
  readonly id: string
  readonly parent: ActorPlace | undefined
  /** In the order in which they started. */
  readonly children: ActorPlace[] = []
  readonly actors: Actor[] = []
  /** One line: the task of a delegation, or the tool of a call with its arguments. */
  line = ''
  /** Of a call or a delegation: the tool, or the subagent. */
  name = ''
  /** Of a decision, once it is made. */
  choice: RowChoice | undefined
  /** Of a scoring, once it is complete. */
  scores: readonly RowScore[] = []
  /** What it and all below it have spent. */
  readonly spent = new Sums()
  /** The rows that are about it, in order: its own entries, and those by which it started, changed its state or ended. */
  readonly rows: number[] = []
  readonly #starts: number[] = []

  constructor(path: string, parent: ActorPlace | undefined) {
    this.path = path
    this.id = lastId(path)
    this.parent = parent
    parent?.children.push(this)
  }

  /** The row by which the first actor started. */
  get added(): number {
    return this.#starts[0] ?? Infinity
  }

  /** The id of the chart of its actors. */
  get machine(): string | undefined {
    return this.actors[0]?.machine
  }

  get isEffect(): boolean {
    return this.actors[0]?.effect !== undefined
  }

  add(actor: Actor): void {
    this.actors.push(actor)
    this.#starts.push(actor.added)
  }

  /** The actor that was started last up to a row. */
  at(row: number): Actor | undefined {
    return this.actors[countUntil(this.#starts, row) - 1]
  }
}

export class Actors {
  /** The root agent, and the agents that went on in its place. */
  readonly roots: ActorPlace[] = []
  readonly #places = new Map<string, ActorPlace>()
  /** The effects and machines that are active after the last row, by path, in the order of their start. */
  readonly #active = new Map<string, Actor[]>()

  at(path: string): ActorPlace | undefined {
    return this.#places.get(path)
  }

  append(row: Row): void {
    for (const added of row.actorsAdded) this.#start(added, row.row)
    for (const taken of row.transitions) this.#take(taken, row.row)
    for (const ended of row.actorsEnded) this.#stop(ended, row.row)
    for (const event of row.events) this.#tell(event)
    const own = this.#place(row.path ?? row.journal, row.row)
    addRow(own.rows, row.row)
    if (row.usage !== undefined && row.type === 'effect.settled')
      for (let place: ActorPlace | undefined = own; place !== undefined; place = place.parent)
        place.spent.add(row.row, row.usage)
  }

  #tell({ type, path, line, name, choices = [], scores }: RowEvent): void {
    const place = this.#places.get(path)
    if (place === undefined) return
    if (tells.includes(type)) {
      if (place.line === '') place.line = line
      if (place.name === '') place.name = name ?? ''
    }
    if (scores !== undefined) (lastOf(place, 'completion') ?? place).scores = scores
    // The agent tells of them, in the order of the decisions for which a model was asked.
    const asked = choices.filter(({ isGiven }) => isGiven !== true)
    const decisions = place.children.filter(({ id }) => id.startsWith('decision'))
    for (const [at, choice] of asked.entries()) {
      const decision = decisions[decisions.length - asked.length + at]
      if (decision !== undefined) decision.choice = choice
    }
  }

  #start(added: TrailActor, row: number): void {
    const place = this.#make(added.path)
    const actor = new Actor(added, row)
    place.add(actor)
    addRow(place.rows, row)
    const active = this.#active.get(added.path)
    if (active === undefined) this.#active.set(added.path, [actor])
    else active.push(actor)
  }

  #take(taken: RowTransition, row: number): void {
    const { path, machine } = taken
    if (!this.#active.has(path)) this.#start({ path, machine }, row)
    this.#active.get(path)?.at(-1)?.take(taken, row)
    addRow(this.#places.get(path)?.rows ?? [], row)
  }

  #stop({ path, key, status }: EndedActor, row: number): void {
    const active = this.#active.get(path) ?? []
    const actor = active.find((one) => key === undefined || one.key === key)
    if (actor === undefined) return
    actor.end = { row, status }
    if (active.length === 1) this.#active.delete(path)
    else active.splice(active.indexOf(actor), 1)
    addRow(this.#places.get(path)?.rows ?? [], row)
  }

  /** The place of an actor that no row has told to have started: the rows are without transitions. */
  #place(path: string, row: number): ActorPlace {
    const known = this.#places.get(path)
    if (known !== undefined) return known
    const above = parentPath(path)
    if (above !== '') this.#place(above, row)
    this.#start({ path }, row)
    return this.#make(path)
  }

  #make(path: string): ActorPlace {
    const known = this.#places.get(path)
    if (known !== undefined) return known
    const above = parentPath(path)
    const parent = above === '' ? undefined : this.#make(above)
    const place = new ActorPlace(path, parent)
    this.#places.set(path, place)
    if (parent === undefined) this.roots.push(place)
    return place
  }
}

function lastOf(place: ActorPlace, kind: string): ActorPlace | undefined {
  return place.children.findLast(({ id }) => id.startsWith(kind))
}
