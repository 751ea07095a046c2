/** The blob storage of a store, for external callers. */
import { ConfigurationError } from '../../errors.ts'
import { show } from '../../actors/strict/read-options.ts'
import { sha256Later } from '../../actors/values/sha256.ts'
import type { BlobStorage } from './blob-storage.ts'
import { blobsNeeded } from './kept-content.ts'

/** The bytes of files: to keep before a prompt refers to them, and to read from results and threads. */
export interface TroupeBlobs {
  /** Keeps bytes, and resolves with their reference: the `ref` of a file in a prompt. */
  put(bytes: Uint8Array): Promise<string>
  /** Resolves with the bytes that `ref` refers to; `undefined`: there are none. */
  get(ref: string): Promise<Uint8Array | undefined>
}

/** Rejects with a `ConfigurationError` where the store has no blobs. */
export function blobsOf(storage: BlobStorage | undefined): TroupeBlobs {
  const known = (): BlobStorage => {
    if (storage === undefined) throw blobsNeeded()
    return storage
  }
  return {
    async put(bytes) {
      if (!(bytes instanceof Uint8Array)) {
        throw new ConfigurationError(`blobs.put: expected a Uint8Array, not ${show(bytes)}.`)
      }
      const storage = known()
      const given = bytes.slice() // now: a caller may change its bytes
      const ref = await sha256Later(given)
      await storage.put(ref, given)
      return ref
    },
    get: async (ref) => known().get(ref),
  }
}
