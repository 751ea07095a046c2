/** A codec seals bytes, and opens what it has sealed. */
import type { Awaitable } from './awaitable.ts'

/** What bytes are sealed with. */
export interface SealContext {
  /** The name of the key, as `keyOf` gave it. The newest key of that name seals. */
  readonly key: string
  /** Where the bytes stand. Associated data: sealed bytes that stand elsewhere do not open. */
  readonly place: Uint8Array
}

/** What sealed bytes are opened with: they tell their key themselves. */
export type OpenContext = Pick<SealContext, 'place'>

/**
 * Seals bytes before a store has them. Each function may give its bytes at once or later. A `StoreError` that it throws
 * keeps its code: `SEAL_KEY_MISSING` for a key that was forgotten, `SEAL_BROKEN` for bytes that do not open; any other error
 * becomes `SEAL_FAILED`.
 */
export interface SealCodec {
  /** The bytes that are stored. They tell the id of their key: the codec gets no other hint. */
  seal(bytes: Uint8Array, context: SealContext): Awaitable<Uint8Array>
  /** The bytes that were sealed. */
  open(sealed: Uint8Array, context: OpenContext): Awaitable<Uint8Array>
}

/** A key: 32 bytes under an id. */
export interface SealKey {
  /** Stands on record in clear, beside what the key has sealed: it must tell nothing. 1 to 255 bytes of UTF-8. */
  readonly id: string
  readonly bytes: Uint8Array
}

/** Where the keys of `aesCodec` are: a vault, or a table of your own. */
export interface SealKeys {
  /** The key that seals from now on under this name; the place where a key is made. `undefined`: the name was forgotten. */
  newest(name: string): Awaitable<SealKey | undefined>
  /** The key of an id that is on record. `undefined`: the key was forgotten. */
  find(id: string): Awaitable<SealKey | undefined>
}
