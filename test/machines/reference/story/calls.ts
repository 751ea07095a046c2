/** Children that are at work at once, up to a number of places. One that waits for a person gives up its place. */
import type { Stimulus } from 'troupe/testing'

export class Calls {
  readonly #places: number
  #queue: readonly string[] = []
  readonly #running = new Set<string>()
  readonly #held = new Set<string>()

  constructor(places: number) {
    this.#places = places
  }

  /** Children have begun and not reported. */
  get areAtWork(): boolean {
    return this.#running.size + this.#held.size > 0
  }

  /** Children are at work, or wait for a place. */
  get areOpen(): boolean {
    return this.areAtWork || this.#queue.length > 0
  }

  add(children: readonly string[]): void {
    this.#queue = [...this.#queue, ...children]
    this.#fill()
  }

  /** Nothing that waits for a place begins. */
  drop(): void {
    this.#queue = []
  }

  isAtWork(child: string): boolean {
    return this.#running.has(child) || this.#held.has(child)
  }

  take(stimulus: Stimulus): void {
    if (stimulus.type === 'outcome') {
      this.#running.delete(stimulus.child)
      this.#held.delete(stimulus.child)
    } else if (stimulus.event.type === 'child.held' && this.#running.delete(stimulus.event.child)) {
      this.#held.add(stimulus.event.child)
    } else if (stimulus.event.type === 'child.released' && this.#held.delete(stimulus.event.child)) {
      this.#running.add(stimulus.event.child)
    }
    this.#fill()
  }

  #fill(): void {
    const places = Math.max(0, this.#places - this.#running.size)
    for (const child of this.#queue.slice(0, places)) this.#running.add(child)
    this.#queue = this.#queue.slice(places)
  }
}
