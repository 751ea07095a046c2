/** The files that a model takes: its option `accepts`, and the error of a file that cannot be sent. */
import { is, listOf } from '../strict/checks.ts'
import { isMediaType } from '../content/media-type.ts'
import { TerminalError } from '../../errors.ts'
import type { FileData, FilePart, FileUrl } from '../content/content.ts'

/** `image/*` stands for all images, and a `*` for any type. */
function isMediaRange(given: unknown): boolean {
  return (
    typeof given === 'string' && (['*', '*/*'].includes(given) || isMediaType(given.replace(/\/\*$/, '/any')))
  )
}

/** The media types that a model accepts. */
export const acceptedTypes = listOf(
  is('a media type such as image/png, or image/*, or *', isMediaRange),
  'a list of media types',
)

/** The error of a file that cannot be sent. `taker`: the model or the API, as the error names it. */
export function notAccepted(file: FilePart, taker: string): TerminalError {
  const named = file.name === undefined ? 'a file' : `the file ${JSON.stringify(file.name)}`
  return new TerminalError(`${taker} does not take ${named} of the type ${file.mediaType}${wayOf(file)}.`, {
    code: 'FILE_NOT_ACCEPTED',
  })
}

function wayOf(file: FilePart): string {
  if ('ref' in file) return ' by reference'
  return 'url' in file ? ' by URL' : ''
}

/** The file in a form that can be sent. Throws a `TerminalError` for a reference, which only the troupe can read. */
export function sendable(file: FilePart, taker: string): FileData | FileUrl {
  if ('ref' in file) throw notAccepted(file, taker)
  return file
}
