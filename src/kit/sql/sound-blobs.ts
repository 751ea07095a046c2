/** What a store knows of the bytes that it has read. */

/** The most references that are kept. */
const mostSound = 10_000

/** The blobs whose bytes a process has found to be those of their references: they are not digested at each read. */
export class SoundBlobs {
  readonly #refs = new Set<string>()

  has(ref: string): boolean {
    return this.#refs.has(ref)
  }

  add(ref: string): void {
    if (this.#refs.size === mostSound && !this.#refs.has(ref)) this.#refs.clear()
    this.#refs.add(ref)
  }
}
