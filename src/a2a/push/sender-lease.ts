/** Says to other processes that this one is there, and tells of the tasks that it has taken. */
import { noContext, sleep, type Reporter } from '../../kit/index.ts'
import type { KeptPushes } from './kept-pushes.ts'

/** Milliseconds for which a process counts as there after it was last heard of. */
const ttl = 30_000

export class SenderLease {
  /** The name of this process among the senders. */
  readonly sender: string
  readonly #kept: KeptPushes
  readonly #report: Reporter
  #state: 'out' | 'in' | 'left' = 'out'

  constructor(kept: KeptPushes, report: Reporter) {
    this.sender = crypto.randomUUID()
    this.#kept = kept
    this.#report = report
  }

  async enter(): Promise<void> {
    if (this.#state !== 'out') return
    this.#state = 'in'
    await this.#stay()
    void noContext.run(() => this.#renew())
  }

  /** The processes that are left may take its work at once. */
  async leave(): Promise<void> {
    if (this.#state !== 'in') return
    this.#state = 'left'
    await this.#kept.leave(this.sender)
  }

  async #renew(): Promise<void> {
    for (;;) {
      await sleep(ttl / 3, { background: true })
      if (this.#state !== 'in') return
      await this.#stay().catch((error: unknown) => {
        const message = 'a process that sends push notifications could not be renewed'
        this.#report({ message, code: 'PUSH_SENDER_NOT_RENEWED', where: 'store', error })
      })
    }
  }

  #stay(): Promise<void> {
    return this.#kept.stay(this.sender, Date.now() + ttl)
  }
}
