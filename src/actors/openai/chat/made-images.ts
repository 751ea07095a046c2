/**
 * The images that a model has made, as gateways of Chat Completions send them (OpenRouter, LiteLLM): in the field `images`
 * of a message or of a delta, or among the parts of its content.
 */
import { isBase64 } from '../../content/base64.ts'
import type { FileData, FileUrl } from '../../content/content.ts'
import { isMediaType } from '../../content/media-type.ts'
import { isWebUrl } from '../../content/web-url.ts'
import { isRecord } from '../../values/json.ts'
import { readText, type Part } from '../shared/part.ts'

type Image = FileData | FileUrl

/** Collects the images of a message over the deltas of a stream; a reply that is not streamed is one delta. */
export class MadeImages {
  /** By their URLs: some servers repeat the images of a message at its end. */
  readonly #images = new Map<string, Image>()

  add({ images, content }: Record<string, unknown>): void {
    for (const url of [...urlsOf(images), ...urlsOf(content)]) {
      const image = this.#images.has(url) ? undefined : readImage(url)
      if (image !== undefined) this.#images.set(url, image)
    }
  }

  /** Empty where there are none. */
  get part(): Pick<Part, 'files'> {
    return this.#images.size === 0 ? {} : { files: [...this.#images.values()] }
  }
}

function urlsOf(list: unknown): readonly string[] {
  if (!Array.isArray(list)) return []
  return list.filter(isRecord).flatMap(({ type, image_url: image }) => {
    const url = readText(isRecord(image) ? image['url'] : image)
    return url === '' || (type !== undefined && type !== 'image_url') ? [] : [url]
  })
}

/** `undefined` for a URL that is neither one of bytes nor one that a program can open. */
function readImage(url: string): Image | undefined {
  if (/^data:/i.test(url)) return readBytes(url)
  if (!isWebUrl(url)) return undefined
  return { type: 'file', mediaType: typeByName(new URL(url).pathname), url }
}

function readBytes(url: string): FileData | undefined {
  const comma = url.indexOf(',')
  const [mediaType = '', ...parameters] = url.slice('data:'.length, comma).split(';')
  const data = url.slice(comma + 1)
  const isImage = isMediaType(mediaType) && /^image\//i.test(mediaType)
  if (comma === -1 || !isImage || parameters.at(-1) !== 'base64') return undefined
  if (data === '' || !isBase64(data)) return undefined
  return { type: 'file', mediaType, data }
}

const types: Readonly<Record<string, string>> = { jpg: 'jpeg', jpeg: 'jpeg', webp: 'webp', gif: 'gif' }

/** A server states no media type of an image that it names by a URL. */
function typeByName(path: string): string {
  const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase()
  return `image/${types[extension] ?? 'png'}`
}
