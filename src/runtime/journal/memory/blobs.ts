/** The bytes of files, in memory, with the runs and threads that hold each. */
import { systemClock } from '../../clock.ts'
import { callerTime, type BlobHolder, type BlobStorage } from '../../files/blob-storage.ts'

interface StoredBlob {
  readonly bytes: Uint8Array
  readonly holders: Set<string>
  /** When a caller last put the bytes without a holder; `undefined`: never. */
  putAt: number | undefined
}

export interface MemoryBlobs {
  readonly storage: Required<Omit<BlobStorage, 'expireHolders'>>
  /** As `expireHolders` of a storage. `isKnown`: whether the store has the run or the thread. */
  readonly expireHolders: (before: number, limit: number, isKnown: (holder: BlobHolder) => boolean) => number
  readonly isEmpty: () => boolean
  /** Holds the blobs that are there for one more holder. Gives the others. */
  /** The run or the thread is in the store. */
  readonly begun: (holder: BlobHolder) => void
  readonly holdNow: (refs: readonly string[], holder: BlobHolder) => readonly string[]
  readonly releaseNow: (holder: BlobHolder) => void
}

/** Copies: callers may change their bytes. */
export function memoryBlobs(): MemoryBlobs {
  const blobs = new Map<string, StoredBlob>()
  const held = new Map<string, Set<string>>()
  /** Blobs without a holder that a caller has put of late. */
  const left = new Set<string>()
  /** By name, holders that the store may not have. */
  const unbegun = new Map<string, { readonly holder: BlobHolder; readonly heldAt: number }>()
  const note = (holder: BlobHolder): void => {
    if ('runId' in holder && holder.isStored !== true) return
    unbegun.delete(nameOf(holder))
    unbegun.set(nameOf(holder), { holder, heldAt: systemClock.now() })
  }
  const holdNow = (refs: readonly string[], holder: BlobHolder): readonly string[] => {
    const name = nameOf(holder)
    return refs.filter((ref) => {
      const blob = blobs.get(ref)
      if (blob === undefined) return true
      blob.holders.add(name)
      held.set(name, (held.get(name) ?? new Set()).add(ref))
      return false
    })
  }
  const removeUnheld = (ref: string, before: number): boolean => {
    const blob = blobs.get(ref)
    if (blob === undefined || blob.holders.size > 0 || (blob.putAt ?? 0) >= before) return false
    return blobs.delete(ref)
  }
  const releaseNow = (holder: BlobHolder): void => {
    const name = nameOf(holder)
    const refs = held.get(name)
    unbegun.delete(name)
    if (refs === undefined) return
    held.delete(name)
    for (const ref of refs) {
      blobs.get(ref)?.holders.delete(name)
      left.add(ref)
    }
    for (const ref of left) {
      if (removeUnheld(ref, systemClock.now() - callerTime) || blobs.get(ref)?.holders.size !== 0)
        left.delete(ref)
    }
  }
  const storage: MemoryBlobs['storage'] = {
    async put(ref, bytes, holder) {
      const blob = blobs.get(ref) ?? { bytes: bytes.slice(), holders: new Set<string>(), putAt: undefined }
      blobs.set(ref, blob)
      if (holder === undefined) blob.putAt = systemClock.now()
      else {
        holdNow([ref], holder)
        note(holder)
      }
    },
    get: async (ref) => blobs.get(ref)?.bytes.slice(),
    async hold(refs, holder) {
      note(holder)
      return holdNow(refs, holder)
    },
    release: async (holder) => releaseNow(holder),
    async expire(before, limit) {
      let count = 0
      for (const ref of blobs.keys()) {
        if (count === limit) break
        if (removeUnheld(ref, before)) count++
      }
      return count
    },
  }
  return {
    storage,
    expireHolders(before, limit, isKnown) {
      const chosen = [...unbegun].filter(([, { heldAt }]) => heldAt < before).slice(0, limit)
      for (const [name, { holder }] of chosen) {
        unbegun.delete(name)
        if (!isKnown(holder)) releaseNow(holder)
      }
      return chosen.length
    },
    begun: (holder) => void unbegun.delete(nameOf(holder)),
    isEmpty: () => blobs.size === 0,
    holdNow,
    releaseNow,
  }
}

function nameOf(holder: BlobHolder): string {
  return 'runId' in holder ? `run ${holder.runId}` : `thread ${holder.threadId}`
}
