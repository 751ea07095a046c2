/** The images that the tool `image_generation` of the server has made. The API takes them back as images of the user. */
import type { FilePart } from '../../content/content.ts'
import { readText } from '../shared/part.ts'

/** `undefined` for an item without an image, such as that of a call that has failed. */
export function readMadeImage(item: Record<string, unknown>): FilePart | undefined {
  const data = readText(item['result'])
  if (data === '') return undefined
  return { type: 'file', mediaType: `image/${readText(item['output_format']) || 'png'}`, data }
}
