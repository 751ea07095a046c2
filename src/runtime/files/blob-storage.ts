/** The bytes of files, by their SHA-256: the journal and the threads of a store hold references to them. */

/** Stores the bytes of files: each once, however often it is named. */
export interface BlobStorage {
  /** `ref`: the SHA-256 of the bytes, in hexadecimal. A repeated put changes nothing. Durable when it resolves. */
  put(ref: string, bytes: Uint8Array): Promise<void>
  /** `undefined`: there is no such blob. */
  get(ref: string): Promise<Uint8Array | undefined>
}

/** Bytes that must be stored before the entry that names them. */
export interface Blob {
  readonly ref: string
  readonly bytes: Uint8Array
}
