/** The bytes of files, by their SHA-256: the journal and the threads of a store hold references to them. */

/** The run or the thread that is about to name a blob, or names it. */
export type BlobHolder = RunHolder | { readonly threadId: string }

/** A run that is about to name a blob, or names it, or writes to a thread. */
export interface RunHolder {
  readonly runId: string
  /**
   * The store has the journal of the run, or will have it: the hold of a run that never began can expire.
   * Absent: the journal of the run is elsewhere.
   */
  readonly isStored?: true
  /**
   * The store has the journal of the run. Where it has it no more, the run was deleted: what the run then writes is refused.
   * Only with `isStored`.
   */
  readonly hasBegun?: true
}

/** The holds that have ended, by their age. */
export interface BlobExpiry {
  /**
   * `puts`: those of callers. `holders`: those of runs of this store (`isStored`) and of threads that the store does not have:
   * their process ended before they began.
   */
  readonly of: 'puts' | 'holders'
  /** Those that put or held a blob last before: milliseconds since 1970. */
  readonly before: number
  /** The most blobs (`puts`) or holders to look at. */
  readonly limit: number
}

/** Stores the bytes of files: each once, however often it is named. An optional port of a store. */
export interface BlobStorage {
  /**
   * `ref`: the SHA-256 of the bytes, in hexadecimal. A repeated put changes no bytes. Durable when it resolves.
   * `holder` keeps the blob until it is released or deleted. Without a holder the bytes are those of a caller: they may go while
   * no journal and no thread names them. Without bytes an existing blob is only held. For a run that was deleted (`hasBegun`) it
   * stores and holds nothing. Resolves with whether the blob is there, and is held.
   */
  put(ref: string, bytes: Uint8Array | undefined, holder?: BlobHolder): Promise<boolean>
  /** `undefined`: there is no such blob. */
  get(ref: string): Promise<Uint8Array | undefined>
  /**
   * Ends the hold of a run or a thread, or holds by their age, and removes each blob that has no other. Resolves with the
   * number of blobs of callers that are gone, or of holders that it looked at. Absent: blobs are never removed.
   */
  release?(holds: BlobHolder | BlobExpiry): Promise<number>
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

/** Holds existing blobs for one more holder. Whether each of them is there. */
export async function holdsAll(
  storage: BlobStorage | undefined,
  refs: readonly string[],
  holder: BlobHolder,
): Promise<boolean> {
  const held = await Promise.all(refs.map(async (ref) => storage?.put(ref, undefined, holder)))
  return held.every((isThere) => isThere !== false)
}

/** The part of a storage that puts and gets. */
export type BlobAccess = Pick<BlobStorage, 'put' | 'get'>

class HeldBlobs implements BlobAccess {
  readonly shared: BlobAccess
  readonly #holder: BlobHolder
  readonly #otherwise: OtherHolder | undefined

  constructor(shared: BlobAccess, holder: BlobHolder, otherwise?: OtherHolder) {
    this.shared = shared
    this.#holder = holder
    this.#otherwise = otherwise
  }

  async put(ref: string, bytes: Uint8Array | undefined): Promise<boolean> {
    if (await this.shared.put(ref, bytes, this.#holder)) return true
    const holder = bytes === undefined ? undefined : await this.#otherwise?.()
    return holder !== undefined && this.shared.put(ref, bytes, holder)
  }

  get(ref: string): Promise<Uint8Array | undefined> {
    return this.shared.get(ref)
  }
}

/** The holder of bytes that the storage does not take for the first one; `undefined`: there is none. */
type OtherHolder = () => Promise<BlobHolder | undefined>

/** The storage for one holder: it holds each blob that is put. */
export function heldBy(storage: BlobAccess, holder: BlobHolder, otherwise?: OtherHolder): BlobAccess {
  return new HeldBlobs(storage, holder, otherwise)
}

/** The storage that holders share. */
export function sharedStorage(access: BlobAccess): BlobAccess {
  return access instanceof HeldBlobs ? access.shared : access
}

/** Begins bytes that were sealed before a store had them: their reference is not their digest. */
const sealMark = /* @__PURE__ */ Uint8Array.of(0x00, 0x74, 0x72, 0x70, 0x53, 0x65, 0x61, 0x6c)

/** Sealed bytes, marked for the store. */
export function markSealed(bytes: Uint8Array): Uint8Array {
  const marked = new Uint8Array(sealMark.length + bytes.length)
  marked.set(sealMark)
  marked.set(bytes, sealMark.length)
  return marked
}

/** Whether the bytes are marked as sealed: who opens them checks them, and no digest does. */
export function isMarkedSealed(bytes: Uint8Array): boolean {
  return sealMark.every((byte, at) => bytes[at] === byte)
}

/** The bytes behind the mark. */
export function unmarked(bytes: Uint8Array): Uint8Array {
  return isMarkedSealed(bytes) ? bytes.subarray(sealMark.length) : bytes
}
