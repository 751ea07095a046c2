import { nextTask } from '../actors/values/order.ts'

/** A promise whose rejection never ends the process: one that nothing handles is reported. */
export class ReportedPromise<Value> extends Promise<Value> {
  #isHandled = false

  /** A promise that derives from it by `then` is an ordinary one, and the caller's to handle. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  static of<Value>(promise: Promise<Value>, report: (error: unknown) => void): ReportedPromise<Value> {
    const reported = new ReportedPromise<Value>((resolve) => resolve(promise))
    reported.#onRejected((error) => nextTask(() => reported.#isHandled || report(error)))
    return reported
  }

  // oxlint-disable-next-line unicorn/no-thenable -- a promise is one
  override then<Fulfilled = Value, Rejected = never>(
    onFulfilled?: ((value: Value) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    this.#isHandled = true
    return super.then(onFulfilled, onRejected)
  }

  #onRejected(act: (error: unknown) => void): void {
    void super.then(undefined, act)
  }
}
