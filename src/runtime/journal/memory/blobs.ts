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
  readonly storage: Required<BlobStorage>
  readonly isEmpty: () => boolean
  /** The run or the thread is in the store. */
  readonly begun: (holder: BlobHolder) => void
  /** Holds the blobs that are there for one more holder. */
  readonly holdNow: (refs: readonly string[], holder: BlobHolder) => void
  /** `atOnce`: also those that a caller has put of late. */
  readonly releaseNow: (holder: BlobHolder, atOnce?: boolean) => void
  /** Ends the hold of a holder on these blobs, also those that a caller has put of late. */
  readonly releaseRefs: (refs: Iterable<string>, holder: BlobHolder) => void
}

/** Copies: callers may change their bytes. `isKnown`: whether the store has the run or the thread. */
export function memoryBlobs(isKnown: (holder: BlobHolder) => boolean): MemoryBlobs {
  const blobs = new Map<string, StoredBlob>()
  const held = new Map<string, Set<string>>()
  /** Blobs without a holder that a caller has put of late. */
  const left = new Set<string>()
  /** By name, holders that the store may not have. */
  const unbegun = new Map<string, { readonly holder: BlobHolder; readonly heldAt: number }>()
  const isGone = (holder: BlobHolder | undefined): boolean =>
    holder !== undefined && 'runId' in holder && holder.hasBegun === true && !isKnown(holder)
  const note = (holder: BlobHolder): void => {
    if ('runId' in holder && holder.isStored !== true) return
    unbegun.delete(nameOf(holder))
    unbegun.set(nameOf(holder), { holder, heldAt: systemClock.now() })
  }
  const holdNow = (refs: readonly string[], holder: BlobHolder): void => {
    const name = nameOf(holder)
    for (const ref of refs) {
      const blob = blobs.get(ref)
      if (blob === undefined) continue
      blob.holders.add(name)
      held.set(name, (held.get(name) ?? new Set()).add(ref))
    }
  }
  const removeUnheld = (ref: string, before: number): boolean => {
    const blob = blobs.get(ref)
    if (blob === undefined || blob.holders.size > 0 || (blob.putAt ?? 0) >= before) return false
    return blobs.delete(ref)
  }
  const releaseRefs = (refs: Iterable<string>, holder: BlobHolder): void => {
    for (const ref of refs) {
      blobs.get(ref)?.holders.delete(nameOf(holder))
      held.get(nameOf(holder))?.delete(ref)
      removeUnheld(ref, Number.POSITIVE_INFINITY)
    }
  }
  const releaseNow = (holder: BlobHolder, atOnce = false): void => {
    const name = nameOf(holder)
    const refs = held.get(name)
    unbegun.delete(name)
    if (refs === undefined) return
    held.delete(name)
    for (const ref of refs) {
      blobs.get(ref)?.holders.delete(name)
      if (!atOnce || !removeUnheld(ref, Number.POSITIVE_INFINITY)) left.add(ref)
    }
    for (const ref of left) {
      if (removeUnheld(ref, systemClock.now() - callerTime) || blobs.get(ref)?.holders.size !== 0)
        left.delete(ref)
    }
  }
  const expirePuts = (before: number, limit: number): number => {
    let count = 0
    for (const ref of blobs.keys()) {
      if (count === limit) break
      if (removeUnheld(ref, before)) count++
    }
    return count
  }
  const expireHolders = (before: number, limit: number): number => {
    const chosen = [...unbegun].filter(([, { heldAt }]) => heldAt < before).slice(0, limit)
    for (const [name, { holder }] of chosen) {
      unbegun.delete(name)
      if (!isKnown(holder)) releaseNow(holder)
    }
    return chosen.length
  }
  return {
    storage: {
      async put(ref, bytes, holder) {
        if (isGone(holder)) return false
        const known = blobs.get(ref)
        if (bytes !== undefined && known === undefined)
          blobs.set(ref, { bytes: bytes.slice(), holders: new Set(), putAt: undefined })
        const blob = blobs.get(ref)
        if (holder !== undefined) {
          holdNow([ref], holder)
          note(holder)
        } else if (blob !== undefined) blob.putAt = systemClock.now()
        return blob !== undefined
      },
      get: async (ref) => blobs.get(ref)?.bytes.slice(),
      async release(holds) {
        if ('of' in holds) {
          const expire = holds.of === 'puts' ? expirePuts : expireHolders
          return expire(holds.before, holds.limit)
        }
        releaseNow(holds)
        return 1
      },
    },
    begun: (holder) => void unbegun.delete(nameOf(holder)),
    isEmpty: () => blobs.size === 0,
    holdNow,
    releaseNow,
    releaseRefs,
  }
}

function nameOf(holder: BlobHolder): string {
  return 'runId' in holder ? `run ${holder.runId}` : `thread ${holder.threadId}`
}
