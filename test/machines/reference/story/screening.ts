/** The processors of a prompt or of a reply, one after the other: how far they are, and what they have decided. */
import type { Outcome } from 'troupe/testing'

/** What processors of a stream found while the reply came. */
interface Streamed {
  readonly failures: readonly { readonly code: string }[]
  readonly tripwire?: unknown
}

export class Screening {
  /** The code of the processor that failed. */
  failure: string | undefined
  /** A processor has refused. */
  isRefused = false
  /** The processor that refused wants another reply. */
  wantsAnother = false
  readonly #processors: number
  readonly #ignoresErrors: boolean
  #passed = 0

  constructor(processors: number, ignoresErrors: boolean) {
    this.#processors = processors
    this.#ignoresErrors = ignoresErrors
  }

  /** All processors were asked, or left out because they failed and errors of hooks are ignored. */
  get isAccepted(): boolean {
    return this.failure === undefined && !this.isRefused && this.#passed >= this.#processors
  }

  takeStreamed({ failures, tripwire }: Streamed): void {
    for (const { code } of failures) this.#fail(code, 0)
    if (tripwire !== undefined) this.isRefused = true
  }

  take({ name, error }: Outcome): void {
    // The first processor throws; one that times out fails alone; where none can be called, all have failed.
    if (name === 'throws') this.#fail('FAILED', 1)
    else if (name === 'times out') this.#fail(error?.code ?? '', 1)
    else if (error !== undefined) this.#fail(error.code, this.#processors)
    else if (name === 'refuses' || name === 'wants another') {
      this.isRefused = true
      this.wantsAnother = name === 'wants another'
    } else this.#passed = this.#processors
  }

  #fail(code: string, left: number): void {
    if (!this.#ignoresErrors) this.failure ??= code
    this.#passed += left
  }
}
