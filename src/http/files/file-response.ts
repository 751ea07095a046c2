/** The bytes of a file as a response that runs nothing: a browser shows images, audio and video, and saves all else. */
import type { FileRef } from '../../index.ts'

/** An SVG is a document with scripts. A page may still show one as an image. */
const shown = /^(?:image\/(?!svg)|audio\/|video\/)/

/** The bytes of a reference never change: the browser asks again only whether it may still have them. */
export function fileHeaders({ ref, mediaType, name }: FileRef): Readonly<Record<string, string>> {
  const disposition = shown.test(mediaType.toLowerCase()) ? 'inline' : 'attachment'
  const filename = name === undefined ? '' : `; filename*=UTF-8''${encoded(name)}`
  return {
    'content-type': mediaType,
    'content-disposition': `${disposition}${filename}`,
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'same-site',
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-cache',
    etag: `"${ref}"`,
  }
}

/** As RFC 8187 has it. */
function encoded(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
