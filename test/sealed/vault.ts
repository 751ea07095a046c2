/** A place of keys, one for each name, that can make, turn and forget them. */
import type { SealKey, SealKeys } from 'troupe/sealed'

export class Vault implements SealKeys {
  readonly #newest = new Map<string, SealKey>()
  readonly #keys = new Map<string, SealKey>()
  readonly #forgotten = new Set<string>()

  newest(name: string): SealKey | undefined {
    if (this.#forgotten.has(name)) return undefined
    return this.#newest.get(name) ?? this.turn(name)
  }

  find(id: string): SealKey | undefined {
    return this.#keys.get(id)
  }

  /** A new key seals from now on; the old ones open what they have sealed. */
  turn(name: string): SealKey {
    const key = { id: crypto.randomUUID(), bytes: crypto.getRandomValues(new Uint8Array(32)) }
    this.#newest.set(name, key)
    this.#keys.set(key.id, key)
    return key
  }

  /** Drops the keys of a name that are not the newest. */
  dropOld(): void {
    const newest = new Set(Array.from(this.#newest.values(), ({ id }) => id))
    for (const id of this.#keys.keys()) if (!newest.has(id)) this.#keys.delete(id)
  }

  /** Forgets the key of a name for good. Only for names whose key was never turned. */
  forget(name: string): void {
    this.#keys.delete(this.#newest.get(name)?.id ?? '')
    this.#newest.delete(name)
    this.#forgotten.add(name)
  }
}
