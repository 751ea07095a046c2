/** Messages of people that wait for a request of the model, where input processors check them first. */
import type { Outcome } from 'troupe/testing'
import { mostSayings } from '../../../../src/machines/contract/sayings.ts'

export class Sayings {
  #waiting: number
  #checked = 0
  #passed = 0

  constructor(waiting: number) {
    this.#waiting = waiting
  }

  get areBeingChecked(): boolean {
    return this.#checked > 0
  }

  get areJudged(): boolean {
    return this.#waiting + this.#checked === 0
  }

  get havePassed(): boolean {
    return this.#passed > 0
  }

  add(): void {
    if (this.#waiting + this.#checked + this.#passed < mostSayings) this.#waiting += 1
  }

  check(): void {
    if (this.areBeingChecked) return
    this.#checked = this.#waiting
    this.#waiting = 0
  }

  take({ name, error }: Outcome): void {
    if (name === 'passes') this.#passed += this.#checked
    this.#checked = 0
    // Where messages cannot be checked, those that came meanwhile are refused with the others.
    if (error !== undefined) this.#waiting = 0
  }

  /** Those that have passed are in the prompt. */
  read(): void {
    this.#passed = 0
  }
}
