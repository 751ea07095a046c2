/**
 * Virtual time, and what is to happen in it. One event happens at a time; the microtasks that follow from it, and the work
 * that is held, end before the next one. Events of the same time happen in an order that the seed chooses.
 */
import type { Random } from './random.ts'

/** Whose events they are: a process may stand still, and may be gone. */
export interface Owner {
  readonly name: string
  readonly isGone: boolean
  /** Until then its events wait. */
  readonly stalledUntil: number
}

interface Planned {
  due: number
  order: number
  readonly owner: Owner
  readonly label: string
  readonly act: () => void
  readonly isTimer: boolean
  isCalledOff: boolean
}

export interface Scheduling {
  /** Timers of one process keep their order when it has stood still; answers from outside arrive in any order. */
  readonly isTimer?: boolean
}

export class Scheduler {
  readonly #random: Random
  readonly #trace: string[]
  readonly #heap: Planned[] = []
  readonly #held = new Set<Promise<unknown>>()
  #now = 1_000_000
  #steps = 0

  constructor(random: Random, trace: string[]) {
    this.#random = random
    this.#trace = trace
  }

  /** Milliseconds of the world; every process has a clock of its own. */
  get now(): number {
    return this.#now
  }

  get steps(): number {
    return this.#steps
  }

  note(who: string, what: string): void {
    this.#trace.push(`${this.#now - 1_000_000} ${who}: ${what}`)
  }

  /** Lets it happen after `delay`; gives the way to call it off. */
  after(
    delay: number,
    owner: Owner,
    label: string,
    act: () => void,
    { isTimer = false }: Scheduling = {},
  ): () => void {
    const due = this.#now + Math.max(0, Math.ceil(delay))
    const planned: Planned = {
      due,
      order: this.#random.next(),
      owner,
      label,
      act,
      isTimer,
      isCalledOff: false,
    }
    this.#push(planned)
    return () => {
      planned.isCalledOff = true
    }
  }

  /** The next event waits until a promise has settled, such as that of a real database. Returns what is given. */
  hold(work: unknown): unknown {
    if (!(work instanceof Promise)) return work
    const end = (): void => void this.#held.delete(work)
    this.#held.add(work)
    work.then(end, end)
    return work
  }

  /** When all microtasks have run, and held work has settled. */
  async #settled(): Promise<void> {
    await macrotask()
    while (this.#held.size > 0) {
      await Promise.allSettled(this.#held)
      await macrotask()
    }
  }

  /** Until `isDone`, or until nothing is left to happen by `end`. */
  async run(end: number, isDone: () => boolean = () => false): Promise<void> {
    while (!isDone()) {
      const next = this.#heap[0]
      if (next === undefined || next.due > end) break
      this.#pop()
      if (next.isCalledOff || next.owner.isGone) continue
      const { due, owner } = next
      this.#now = Math.max(this.#now, due)
      if (owner.stalledUntil > this.#now) {
        next.order = next.isTimer ? due / 1e9 : this.#random.next()
        next.due = owner.stalledUntil
        this.#push(next)
        continue
      }
      this.#steps++
      this.note(owner.name, next.label)
      next.act()
      await this.#settled()
    }
    if (this.#now < end && !isDone()) this.#now = end
  }

  #push(planned: Planned): void {
    const heap = this.#heap
    let place = heap.push(planned) - 1
    while (place > 0) {
      const above = (place - 1) >> 1
      const parent = heap[above]
      if (parent === undefined || !isBefore(planned, parent)) break
      heap[place] = parent
      place = above
    }
    heap[place] = planned
  }

  #pop(): void {
    const heap = this.#heap
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return
    let place = 0
    for (;;) {
      let below = 2 * place + 1
      const [left, right] = [heap[below], heap[below + 1]]
      if (left === undefined) break
      if (right !== undefined && isBefore(right, left)) below++
      const child = heap[below]
      if (child === undefined || !isBefore(child, last)) break
      heap[place] = child
      place = below
    }
    heap[place] = last
  }
}

function isBefore(one: Planned, other: Planned): boolean {
  return one.due < other.due || (one.due === other.due && one.order < other.order)
}

const { setImmediate } = globalThis

function macrotask(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
