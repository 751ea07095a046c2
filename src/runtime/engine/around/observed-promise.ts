import { nextTask } from '../../clock.ts'

/** A promise whose rejection, and that of each promise that derives from it, never ends the process. */
export class ObservedPromise<Value> extends Promise<Value> {
  #isHandled = false
  #report: (error: unknown) => void = () => undefined

  /** `report`: receives the rejections that nothing handles. */
  static of<Value>(promise: Promise<Value>, report: (error: unknown) => void): ObservedPromise<Value> {
    const observed = new ObservedPromise<Value>((resolve) => resolve(promise))
    observed.#observe(report)
    return observed
  }

  // oxlint-disable-next-line unicorn/no-thenable -- a promise is one
  override then<Fulfilled = Value, Rejected = never>(
    onFulfilled?: ((value: Value) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    this.#isHandled = true
    const derived = super.then(onFulfilled, onRejected)
    if (derived instanceof ObservedPromise) derived.#observe(this.#report)
    return derived
  }

  #observe(report: (error: unknown) => void): void {
    this.#report = report
    void super.then(undefined, (error: unknown) => nextTask(() => this.#isHandled || report(error)))
  }
}
