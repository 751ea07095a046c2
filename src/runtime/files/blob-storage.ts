/** The bytes of files, by their SHA-256: the journal and the threads of a store hold references to them. */

/** The run or the thread that is about to name a blob, or names it. */
export type BlobHolder = RunHolder | { readonly threadId: string }

export interface RunHolder {
  readonly runId: string
  /**
   * The store has the journal of the run, or will have it: `expireHolders` ends the hold of a run that never began.
   * Absent: the journal of the run is elsewhere.
   */
  readonly isStored?: true
}

/** Stores the bytes of files: each once, however often it is named. */
export interface BlobStorage {
  /**
   * `ref`: the SHA-256 of the bytes, in hexadecimal. A repeated put changes no bytes. Durable when it resolves.
   * `holder` keeps the blob until it is released or deleted; one that never begins, until `expireHolders`. Without a
   * holder the bytes are those of a caller, and `expire` may remove them while no journal and no thread names them.
   */
  put(ref: string, bytes: Uint8Array, holder?: BlobHolder): Promise<void>
  /** `undefined`: there is no such blob. */
  get(ref: string): Promise<Uint8Array | undefined>
  /**
   * Keeps existing blobs for one more holder, in one transaction. Resolves with those that are not there. Absent: blobs
   * are never removed.
   */
  hold?(refs: readonly string[], holder: BlobHolder): Promise<readonly string[]>
  /** Ends the hold of a run or a thread, and removes each blob that has no other. Absent: blobs are never removed. */
  release?(holder: BlobHolder): Promise<void>
  /**
   * Removes blobs that no journal and no thread names, and that were last put before `before` (milliseconds since 1970),
   * at most `limit`. Resolves with their number. Absent: blobs are never removed.
   */
  expire?(before: number, limit: number): Promise<number>
  /**
   * Ends the holds of runs of this store (`isStored`) and of threads that the store does not have, and that last put or
   * held a blob before `before` (milliseconds since 1970), of at most `limit`: their process ended before they began.
   * Resolves with the number of holders that it looked at. Absent: such blobs stay.
   */
  expireHolders?(before: number, limit: number): Promise<number>
}

/** Bytes that must be stored before the entry that names them. */
export interface Blob {
  readonly ref: string
  readonly bytes: Uint8Array
}

/**
 * Milliseconds for which bytes that a caller has put stay when the last run or thread that names them goes: the caller
 * may be about to name them again.
 */
export const callerTime = 3_600_000

/** The part of a storage that puts and gets. */
export type BlobAccess = Pick<BlobStorage, 'put' | 'get'>

class HeldBlobs implements BlobAccess {
  readonly shared: BlobAccess
  readonly #holder: BlobHolder

  constructor(shared: BlobAccess, holder: BlobHolder) {
    this.shared = shared
    this.#holder = holder
  }

  put(ref: string, bytes: Uint8Array): Promise<void> {
    return this.shared.put(ref, bytes, this.#holder)
  }

  get(ref: string): Promise<Uint8Array | undefined> {
    return this.shared.get(ref)
  }
}

/** The storage for one holder: it holds each blob that is put. */
export function heldBy(storage: BlobAccess, holder: BlobHolder): BlobAccess {
  return new HeldBlobs(storage, holder)
}

/** The storage that holders share. */
export function sharedStorage(access: BlobAccess): BlobAccess {
  return access instanceof HeldBlobs ? access.shared : access
}
