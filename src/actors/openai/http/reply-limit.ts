/** The most bytes of a reply, after decompression: these take the memory. */
import { TerminalError } from '../../../errors.ts'

export interface ReplyLimit {
  readonly modelId: string
  readonly maxReplyBytes: number
}

/** A body of a stated length has no more bytes than that, unless it is compressed. */
export function isKnownToFit({ headers }: Response, { maxReplyBytes }: ReplyLimit): boolean {
  const length = headers.get('content-length') ?? ''
  return /^\d+$/.test(length) && Number(length) <= maxReplyBytes && !headers.has('content-encoding')
}

export function tooLarge({ modelId, maxReplyBytes }: ReplyLimit): TerminalError {
  const message = `Model "${modelId}" sent a reply of more than ${maxReplyBytes} bytes (maxReplyBytes).`
  return new TerminalError(message, { code: 'MODEL_REPLY_TOO_LARGE' })
}
