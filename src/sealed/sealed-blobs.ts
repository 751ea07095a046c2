/**
 * The bytes of files. A blob has the key that follows from the digest of its bytes, which sealed content alone names: whoever
 * cannot read that content cannot open the blob. The codec then seals it as what belongs to no resource.
 */
import type { BlobExpiry, BlobHolder, BlobStorage } from '../index.ts'
import { markSealed, unmarked, type Whole } from '../kit/index.ts'
import { aesOf } from './aes.ts'
import type { Names } from './names.ts'
import type { Seals } from './seals.ts'

const nowhere = /* @__PURE__ */ new Uint8Array()

export function sealedBlobs(
  blobs: BlobStorage,
  { seals, names }: { readonly seals: Seals; readonly names: Names },
): Whole<BlobStorage> {
  const holderOf = (holder: BlobHolder): BlobHolder =>
    'threadId' in holder ? { ...holder, threadId: names.of('thread', holder.threadId) } : holder
  const sealed = async (ref: string, bytes: Uint8Array, name: string): Promise<Uint8Array> => {
    const inner = await aesOf(names.keyOfBlob(ref)).seal(bytes, nowhere)
    return markSealed(await seals.sealBytes(inner, undefined, ['blob', name]))
  }
  return {
    async put(ref, bytes, holder) {
      const name = names.refOf(ref)
      const given = bytes === undefined ? undefined : await sealed(ref, bytes, name)
      return holder === undefined ? blobs.put(name, given) : blobs.put(name, given, holderOf(holder))
    },
    async get(ref) {
      const name = names.refOf(ref)
      const stored = await blobs.get(name)
      if (stored === undefined) return undefined
      const inner = await seals.openBytes(unmarked(stored), ['blob', name])
      return new Uint8Array(await aesOf(names.keyOfBlob(ref)).open(inner, nowhere))
    },
    release:
      blobs.release &&
      (async (holds) => (await blobs.release?.(isExpiry(holds) ? holds : holderOf(holds))) ?? 0),
  }
}

function isExpiry(holds: BlobHolder | BlobExpiry): holds is BlobExpiry {
  return 'of' in holds
}
