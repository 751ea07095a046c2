/** The abort signals that callers have given with a run: one that fires cancels it. */
import { SparseMap } from '../../actors/values/sparse.ts'
import { leavesRun } from '../../errors/leaves-run.ts'
import { toErrorData } from '../../errors.ts'
import type { RunSignal } from '../handle/run.ts'

export class AbortSignals {
  readonly #cancel: (reason: string) => void
  /** Each with the listener on it. */
  readonly #heeded = new SparseMap<AbortSignal, () => void>()

  constructor(cancel: (reason: string) => void) {
    this.#cancel = cancel
  }

  /** One that has fired before is told by `check`. */
  add(signal: AbortSignal): void {
    if (this.#heeded.has(signal)) return
    const fired = (): void => {
      const cancel = cancelOf(signal)
      if (cancel !== undefined) this.#cancel(cancel.reason)
    }
    this.#heeded.set(signal, fired)
    signal.addEventListener('abort', fired, { once: true })
  }

  /** Cancels where a signal has fired. */
  check(): void {
    for (const [signal, fired] of this.#heeded) if (cancelOf(signal) !== undefined) return fired()
  }

  /** Heeds none of them any more. */
  clear(): void {
    for (const [signal, fired] of this.#heeded) signal.removeEventListener('abort', fired)
    this.#heeded.clear()
  }
}

/** The cancel of a signal that has fired. The signal of a tool whose process lets go of its run cancels no run. */
export function cancelOf(
  signal: AbortSignal | undefined,
): (RunSignal & { readonly type: 'cancel'; readonly reason: string }) | undefined {
  if (signal?.aborted !== true || leavesRun(signal.reason)) return undefined
  return { type: 'cancel', reason: reasonOf(signal) }
}

function reasonOf({ reason }: AbortSignal): string {
  const given: unknown = reason
  return given == null ? 'aborted' : toErrorData(given).message
}
