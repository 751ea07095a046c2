/** The images that the tool `image_generation` of the server has made. The API takes them back as images of the user. */
import { isBase64 } from '../../content/base64.ts'
import type { FilePart } from '../../content/content.ts'
import { isMediaType } from '../../content/media-type.ts'
import { readText } from '../shared/part.ts'

/** `undefined` for an item without an image, such as that of a call that has failed. */
export function readMadeImage(item: Record<string, unknown>): FilePart | undefined {
  const data = readText(item['result'])
  if (data === '' || !isBase64(data)) return undefined
  const mediaType = `image/${readText(item['output_format'])}`
  return { type: 'file', mediaType: isMediaType(mediaType) ? mediaType : 'image/png', data }
}
