/**
 * The images of the tool `image_generation` of OpenAI. The provider has them in the results of the tool; as files of the
 * reply their bytes stay out of the journal. The provider does not send such a result back.
 */
import { isRecord } from '../../kit/index.ts'
import type { Content, MadeFile, ProviderResult } from './content.ts'
import type { AiSdkOptions } from './options.ts'

/** The media types of the images that tools of the provider make, by the names of the tools. */
export type ImageTools = ReadonlyMap<string, string>

export function imageToolsOf({ providerTools = {} }: AiSdkOptions): ImageTools {
  return new Map(
    Object.entries(providerTools).flatMap(([name, { id, args }]) => {
      const { outputFormat = 'png' } = args
      return id.endsWith('.image_generation') ? [[name, `image/${String(outputFormat)}`] as const] : []
    }),
  )
}

export function withMadeImages(content: readonly Content[], tools: ImageTools): readonly Content[] {
  return content.flatMap((part): readonly Content[] => {
    const mediaType = part.type === 'provider-result' ? tools.get(part.name) : undefined
    return part.type === 'provider-result' && mediaType !== undefined ? separated(part, mediaType) : [part]
  })
}

function separated(
  part: ProviderResult,
  mediaType: string,
): readonly [MadeFile, ProviderResult] | [ProviderResult] {
  const data = isRecord(part.result) ? part.result['result'] : undefined
  if (typeof data !== 'string' || data === '') return [part]
  return [
    { type: 'file', file: { type: 'file', mediaType, data }, isResult: true },
    { ...part, result: {} },
  ]
}
