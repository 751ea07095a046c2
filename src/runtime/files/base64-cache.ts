/** Keeps the files that were sent last: each step of a conversation sends all of its files again. */

/** Characters: about 48 MiB of bytes. */
const capacity = 64 * 2 ** 20

export class Base64Cache {
  readonly #read: (ref: string) => Promise<string | undefined>
  /** The one that was used last stands last. */
  readonly #texts = new Map<string, string>()
  #size = 0

  constructor(read: (ref: string) => Promise<string | undefined>) {
    this.#read = read
  }

  async get(ref: string): Promise<string | undefined> {
    const text = this.#texts.get(ref) ?? (await this.#read(ref))
    if (text !== undefined) this.#use(ref, text)
    return text
  }

  #use(ref: string, text: string): void {
    if (text.length > capacity) return
    if (this.#texts.delete(ref)) this.#size -= text.length
    this.#texts.set(ref, text)
    this.#size += text.length
    for (const [oldest, { length }] of this.#texts) {
      if (this.#size <= capacity) break
      this.#texts.delete(oldest)
      this.#size -= length
    }
  }
}
