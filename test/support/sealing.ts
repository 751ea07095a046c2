/** Stores that are sealed for tests. */
import type { Store } from 'troupe'
import { aesCodec, sealedStore, type SealedStore, type SealedStoreOptions } from 'troupe/sealed'

/** 32 bytes. */
export const secretOf = (byte: number): Uint8Array => new Uint8Array(32).fill(byte)

export const sealing: SealedStoreOptions = {
  codec: aesCodec({ keys: [{ id: 'k1', bytes: secretOf(1) }] }),
  names: secretOf(9),
}

/** The store, sealed by one key. */
export function sealed<Inner extends Store>(store: Inner): SealedStore<Inner> {
  return sealedStore(store, sealing)
}
