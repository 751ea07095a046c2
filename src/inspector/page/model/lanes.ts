/**
 * The effects of a run as bars, in one lane for each agent. All agents of one id below the same agent share a lane; bars
 * that overlap stand in different slots of it.
 */
import { agentOf, agentPath, effectOf, parentPath } from '../../../kit/index.ts'
import type { EffectKind, EndedActor } from '../../../kit/host.ts'
import type { Row } from '../../wire/rows.ts'

export interface Bar {
  readonly lane: Lane
  /** From 0: its place among bars of the lane that overlap. */
  readonly slot: number
  readonly kind: EffectKind
  readonly key: string
  /** The actor that asked for the effect. */
  readonly path: string
  /** The nearest agent, by its path. */
  readonly agent: string
  /** The row by which it began. */
  readonly from: number
  /** The row by which it ended; absent while it is active in the last row. */
  until?: number
  status?: EndedActor['status']
  /** It has no row of its beginning: the milliseconds that it took before `from`. */
  readonly before?: number
  /** The time of the row by which it ended. */
  endedAt?: number
}

export class Lane {
  /** The ids of the agents from the root agent to this one, joined with "/". */
  readonly id: string
  readonly agent: string
  /** The number of agents above it. */
  readonly depth: number
  /** By slot, its bars in their order: none overlaps the next. */
  readonly slots: Bar[][] = []

  constructor(id: string) {
    const names = id.split('/')
    this.id = id
    this.agent = names.at(-1) ?? ''
    this.depth = names.length - 1
  }

  /** A slot that is free from a time on: that of the same agent's last bar, else the first one. `agent`: its path. */
  freeSlot(agent: string, from: number): number {
    const free = [...this.slots.keys()].filter((slot) => isOver(this.slots[slot]?.at(-1), from))
    return free.find((slot) => this.slots[slot]?.at(-1)?.agent === agent) ?? free[0] ?? this.slots.length
  }

  add(bar: Bar): void {
    const slot = this.slots[bar.slot]
    if (slot === undefined) this.slots.push([bar])
    else slot.push(bar)
  }
}

/** `from`: a time. */
function isOver(bar: Bar | undefined, from: number): boolean {
  return bar === undefined || (bar.endedAt !== undefined && bar.endedAt <= from)
}

export class Lanes {
  /** Each agent behind the one above it, in the order of their first effects. */
  readonly list: Lane[] = []
  /** By the key of the effect. */
  readonly #bars = new Map<string, Bar>()
  readonly #lanes = new Map<string, Lane>()

  /** The bar of an effect. */
  at(key: string): Bar | undefined {
    return this.#bars.get(key)
  }

  append(row: Row): void {
    // Those that end make room; some begin and end by the same row.
    for (const { key, status } of row.actorsEnded) if (key !== undefined) this.#end(key, row, status)
    for (const { path, effect, key } of row.actorsAdded)
      if (effect !== undefined && key !== undefined) this.#begin(parentPath(path), effect, key, row)
    for (const { key, status } of row.actorsEnded) if (key !== undefined) this.#end(key, row, status)
    this.#told(row)
  }

  #begin(path: string, kind: EffectKind, key: string, { row, at }: Row, before?: number): Bar {
    const agent = agentPath(path)
    const lane = this.#lane(laneOf(agent))
    const slot = lane.freeSlot(agent, before === undefined ? Infinity : at - before)
    const common = { lane, slot, kind, key, path, agent, from: row }
    const bar: Bar = before === undefined ? common : { ...common, before }
    lane.add(bar)
    this.#bars.set(key, bar)
    return bar
  }

  #end(key: string, { row, at }: Row, status: EndedActor['status']): void {
    const bar = this.#bars.get(key)
    if (bar === undefined || bar.until !== undefined) return
    bar.until = row
    bar.endedAt = at
    bar.status = status
  }

  /** Rows without transitions tell of effects by their outcomes alone. */
  #told(row: Row): void {
    const { type, key, kind, error, duration = 0 } = row
    if (type !== 'effect.settled' || key === undefined || kind === undefined || this.#bars.has(key)) return
    this.#begin(parentPath(effectOf(key)), kind, key, row, duration)
    this.#end(key, row, error === undefined ? 'done' : 'error')
  }

  #lane(id: string): Lane {
    const known = this.#lanes.get(id)
    if (known !== undefined) return known
    const lane = new Lane(id)
    this.#lanes.set(id, lane)
    const above = this.#lanes.get(parentPath(id))
    const behind = above === undefined ? -1 : this.list.findLastIndex((one) => isWithin(one.id, above.id))
    if (behind === -1) this.list.push(lane)
    else this.list.splice(behind + 1, 0, lane)
    return lane
  }
}

/** The ids of the agents on the way to an agent; calls and delegations between them are left out. */
function laneOf(path: string): string {
  const agents = path.split('/').map(agentOf)
  return agents.filter((agent) => agent !== undefined).join('/')
}

function isWithin(id: string, outer: string): boolean {
  return id === outer || id.startsWith(`${outer}/`)
}
