/** The bytes of images, for the page to show. No other file is handed out: a browser might run it. */
import { notFound, unavailable, wrongRequest } from '../../kit/wire/index.ts'
import type { Answer } from './answers.ts'
import type { InspectedService } from './service.ts'

const types: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']

/** Rejects with a `RefusedRequest` for a type that is no image, and for bytes that there are not. */
export async function imageOf(service: InspectedService, ref: string, type: string | null): Promise<Answer> {
  if (type === null || !types.includes(type)) throw wrongRequest(`type: one of ${types.join(', ')}.`)
  if (!/^[0-9a-f]{64}$/.test(ref)) throw wrongRequest('The reference of a file has 64 hexadecimal digits.')
  if (service.blobs === undefined) throw unavailable('The bytes of files are kept elsewhere.')
  const bytes = await service.blobs.get(ref)
  if (bytes === undefined) throw notFound(`the file ${ref}`)
  return { bytes, type }
}
