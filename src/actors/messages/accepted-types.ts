/** Reads the option `accepts` of models. */
import { is, listOf } from '../strict/checks.ts'
import { isMediaType } from '../content/media-type.ts'

/** `image/*` stands for all images, and a `*` for any type. */
function isMediaRange(given: unknown): boolean {
  return (
    typeof given === 'string' && (['*', '*/*'].includes(given) || isMediaType(given.replace(/\/\*$/, '/any')))
  )
}

export const acceptedTypes = listOf(
  is('a media type such as image/png, or image/*, or *', isMediaRange),
  'a list of media types',
)
