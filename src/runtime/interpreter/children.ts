/**
 * The children of a snapshot. A snapshot of XState has them as a record, which is copied at each change. A record of
 * thousands of names is a hash table, whose copy takes a thousand times as long as that of a list: so many children are
 * kept in lists, and their record is made for the reader who asks for it.
 */
import type { AnyActorRef, AnyMachineSnapshot } from 'xstate'

export type ChildRecord = Readonly<Record<string, AnyActorRef | undefined>>

export type Children = Record<string, AnyActorRef | undefined> | ManyChildren

/** From this number on a record is no longer copied; a chunk holds as many at most. Of half as many a record is made again. */
const many = 64

type Child = readonly [id: string, actor: AnyActorRef | undefined]

class ManyChildren {
  /** In their order. A change copies one chunk, and not all children. */
  readonly #chunks: (readonly Child[])[]
  #record: ChildRecord | undefined

  constructor(chunks: (readonly Child[])[]) {
    this.#chunks = chunks
  }

  static of(record: ChildRecord): ManyChildren {
    const children = new ManyChildren([])
    for (const [id, actor] of Object.entries(record)) children.#add([id, actor])
    return children
  }

  get record(): ChildRecord {
    return (this.#record ??= Object.fromEntries(this.#chunks.flat()))
  }

  get areFew(): boolean {
    return this.#chunks.length < 2 && (this.#chunks[0]?.length ?? 0) <= many / 2
  }

  copy(): ManyChildren {
    return new ManyChildren([...this.#chunks])
  }

  get(id: string): AnyActorRef | undefined {
    for (const chunk of this.#chunks) for (const [own, actor] of chunk) if (own === id) return actor
    return undefined
  }

  set(id: string, actor: AnyActorRef | undefined): void {
    const child: Child = [id, actor]
    if (!this.#change(id, (chunk, place) => chunk.with(place, child))) this.#add(child)
  }

  delete(id: string): void {
    this.#change(id, (chunk, place) => chunk.toSpliced(place, 1))
  }

  /** Returns whether there is such a child. */
  #change(id: string, changed: (chunk: readonly Child[], place: number) => readonly Child[]): boolean {
    for (const [index, chunk] of this.#chunks.entries()) {
      const place = placeOf(chunk, id)
      if (place === -1) continue
      this.#record = undefined
      const next = changed(chunk, place)
      if (next.length === 0) this.#chunks.splice(index, 1)
      else this.#chunks[index] = next
      return true
    }
    return false
  }

  #add(child: Child): void {
    this.#record = undefined
    const last = this.#chunks.at(-1)
    if (last === undefined || last.length === many) this.#chunks.push([child])
    else this.#chunks[this.#chunks.length - 1] = [...last, child]
  }
}

function placeOf(chunk: readonly Child[], id: string): number {
  for (let place = 0; place < chunk.length; place++) if (chunk[place]?.[0] === id) return place
  return -1
}

export function recordOf(children: Children): ChildRecord {
  return children instanceof ManyChildren ? children.record : children
}

export function childIn(children: Children, id: string): AnyActorRef | undefined {
  return children instanceof ManyChildren ? children.get(id) : children[id]
}

/** A copy that may be changed. */
export function copyOf(children: Children): Children {
  if (children instanceof ManyChildren) return children.areFew ? { ...children.record } : children.copy()
  return areMany(children) ? ManyChildren.of(children) : { ...children }
}

/** As `copyOf`, without one child. */
export function copyWithout(children: Children, id: string): Children {
  if (!(children instanceof ManyChildren) && !areMany(children)) return without(children, id)
  const copy = copyOf(children)
  removeFrom(copy, id)
  return copy
}

/**
 * A copy of a record without one name. It is filled name by name: `delete` makes a hash table of a copy, which takes ten
 * times as long for fifty names, and a rest pattern takes twice as long.
 */
export function without<Value>(record: Readonly<Record<string, Value>>, name: string): Record<string, Value> {
  const others: Record<string, Value> = {}
  for (const other in record) if (other !== name) others[other] = record[other] as Value
  return others
}

export function addTo(children: Children, id: string, actor: AnyActorRef | undefined): void {
  if (children instanceof ManyChildren) children.set(id, actor)
  else children[id] = actor
}

export function removeFrom(children: Children, id: string): void {
  if (children instanceof ManyChildren) children.delete(id)
  else delete children[id]
}

function areMany(children: ChildRecord): boolean {
  let count = 0
  for (const _id in children) if (++count === many) return true
  return false
}

const kept = Symbol('troupe.children')

interface WithMany {
  readonly [kept]: ManyChildren
}

/** One getter for all snapshots: see own-getters.ts. */
const recordProperty: PropertyDescriptor & ThisType<WithMany> = {
  enumerable: true,
  get() {
    return this[kept].record
  },
}

/** The children of a snapshot, as it keeps them. */
export function childrenIn(snapshot: Pick<AnyMachineSnapshot, 'children'>): Children {
  return (snapshot as Partial<WithMany>)[kept] ?? (snapshot.children as Children)
}

/** A snapshot as its readers see it: many children are a property that makes their record at its first use. */
export function readable(snapshot: { readonly children: Children }): object {
  if (!(snapshot.children instanceof ManyChildren)) return snapshot
  // The property is left out and defined anew: V8 makes a hash table of an object in which one is replaced.
  const { children: all, ...fields } = snapshot
  Object.defineProperty(fields, kept, { value: all })
  return Object.defineProperty(fields, 'children', recordProperty)
}
