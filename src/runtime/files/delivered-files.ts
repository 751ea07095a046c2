/** The files of a result with their bytes, for callers that take no references. */
import { base64Of } from '../../actors/content/base64.ts'
import { labelOf, type FileData, type FilePart, type FileUrl } from '../../actors/content/content.ts'
import { TerminalError } from '../../errors.ts'
import type { TroupeBlobs } from './blobs.ts'

/** The blobs of the troupe of a run; `undefined`: the caller has none. */
export type ReadBlobs = Pick<TroupeBlobs, 'get'> | undefined

/** Rejects with a `TerminalError` (`FILE_NOT_FOUND`) for a file that cannot be read. */
export async function deliveredFiles(
  files: readonly FilePart[] | undefined,
  blobs: ReadBlobs,
): Promise<readonly (FileData | FileUrl)[]> {
  return Promise.all((files ?? []).map(async (file) => delivered(file, blobs)))
}

async function delivered(file: FilePart, blobs: ReadBlobs): Promise<FileData | FileUrl> {
  if (!('ref' in file)) return file
  const { ref, ...facts } = file
  const bytes = await blobs?.get(ref)
  if (bytes === undefined) {
    const place = blobs === undefined ? 'There is no troupe whose blobs' : 'The blobs of the troupe do not'
    throw new TerminalError(`${place} have ${labelOf(file)}, ${ref}.`, { code: 'FILE_NOT_FOUND' })
  }
  return { ...facts, data: base64Of(bytes) }
}

/** The result with the bytes of its files. */
export async function withBytes<Result extends { readonly files?: readonly FilePart[] }>(
  given: Result | Promise<Result>,
  blobs: ReadBlobs,
): Promise<Result> {
  const result = await given
  return { ...result, files: await deliveredFiles(result.files, blobs) }
}
