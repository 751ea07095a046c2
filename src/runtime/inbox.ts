/**
 * What was posted to the runs of this troupe. A post stays in the store until what it says is in the journal of its
 * run, or is refused; meanwhile each is handed out once, so that no look at the store tells a run anything twice.
 */
import type { Reporter } from './report.ts'
import type { Post, RunStore } from './store.ts'

export class Inbox {
  readonly #store: Pick<RunStore, 'posts' | 'discard'>
  readonly #report: Reporter
  /** Handed out, by the id of the post: the run that it is for. */
  readonly #inHand = new Map<number, string>()

  constructor(store: Pick<RunStore, 'posts' | 'discard'>, report: Reporter) {
    this.#store = store
    this.#report = report
  }

  /** What is new for these runs. */
  async fetch(runIds: readonly string[]): Promise<readonly Post[]> {
    // Looks may overlap: what another one hands out meanwhile is unknown to this one, and not gone.
    const before = new Map(this.#inHand)
    const posts = await this.#store.posts(runIds)
    const fresh = posts.filter(({ id }) => !this.#inHand.has(id))
    this.#forgetAppended(before, new Set(runIds), new Set(posts.map(({ id }) => id)))
    for (const { id, runId } of fresh) this.#inHand.set(id, runId)
    return fresh
  }

  #forgetAppended(
    before: ReadonlyMap<number, string>,
    asked: ReadonlySet<string>,
    waiting: ReadonlySet<number>,
  ): void {
    for (const [id, runId] of before) {
      if (asked.has(runId) && !waiting.has(id)) this.#inHand.delete(id)
    }
  }

  /** The run does not take it: nothing comes of it, here or elsewhere. */
  refuse({ id, runId }: Post): void {
    this.#store.discard([id]).catch((error: unknown) => {
      const message = `a signal that the run "${runId}" refused could not be removed from the store`
      this.#report({ message, where: 'store', error, runId })
    })
  }

  /** It is for whoever has the run, now or later. */
  putBack({ id }: Post): void {
    this.#inHand.delete(id)
  }

  /** The run has left: what it was handed and has not appended is for whoever has it next. */
  forget(runId: string): void {
    for (const [id, of] of this.#inHand) if (of === runId) this.#inHand.delete(id)
  }
}
