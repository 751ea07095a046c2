/**
 * A part of an effect's input that follows from the other parts and from earlier outcomes. It is in no digest and no JSON:
 * to carry it costs nothing, however large it is, and a journal without it replays.
 */
export class Derived<T> {
  readonly value: T

  constructor(value: T) {
    this.value = value
  }

  toJSON(): undefined {
    return undefined
  }
}
