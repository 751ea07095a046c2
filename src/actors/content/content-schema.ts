/** The shape of content, and of what it cites, that comes from outside: from models, hooks and stores. */
import { z } from 'zod'
import { once } from '../values/once.ts'
import type { Content, FilePart } from './content.ts'
import { isMediaType } from './media-type.ts'
import type { Source } from './source.ts'

const facts = {
  type: z.literal('file'),
  mediaType: z.string().refine(isMediaType, 'a media type such as image/png is expected'),
  name: z.string().min(1).optional(),
}

export const filePartSchema = once((): z.ZodType<FilePart> =>
  z.union([
    z.strictObject({ ...facts, data: z.base64() }),
    z.strictObject({ ...facts, url: z.url({ protocol: /^https?$/ }) }),
    z.strictObject({
      ...facts,
      ref: z.string().regex(/^[0-9a-f]{64}$/, 'a SHA-256 in hexadecimal is expected'),
    }),
  ]),
)

export const contentSchema = once((): z.ZodType<Content> =>
  z.union([
    z.string(),
    z
      .array(z.union([z.strictObject({ type: z.literal('text'), text: z.string() }), filePartSchema()]))
      .readonly(),
  ]),
)

export const sourceSchema = once((): z.ZodType<Source> =>
  z.discriminatedUnion('type', [
    z.object({
      type: z.literal('url'),
      url: z.url({ protocol: /^https?$/ }),
      title: z.string().min(1).optional(),
    }),
    z.object({
      type: z.literal('document'),
      title: z.string().min(1),
      mediaType: z.string().min(1).optional(),
    }),
  ]),
)
