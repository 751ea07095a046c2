/** The frames of the WebSocket protocol (RFC 6455), as far as a client that only sends needs them. */
import { randomBytes } from 'node:crypto'

export const opcodes = { text: 1, close: 8, ping: 9, pong: 10 } as const

export interface Frame {
  readonly opcode: number
  readonly payload: Buffer
}

/** A whole message in one frame, masked as the frames of a client must be. */
export function frame(opcode: number, payload: Buffer): Buffer {
  const mask = randomBytes(4)
  const masked = Buffer.allocUnsafe(payload.length)
  for (let i = 0; i < payload.length; i++) {
    masked[i] = (payload[i] as number) ^ (mask[i & 3] as number)
  }
  return Buffer.concat([header(opcode, payload.length), mask, masked])
}

function header(opcode: number, length: number): Buffer {
  const final = 0x80 | opcode
  const isMasked = 0x80
  if (length < 126) return Buffer.from([final, isMasked | length])
  const long = length > 0xffff
  const bytes = Buffer.alloc(long ? 10 : 4)
  bytes[0] = final
  bytes[1] = isMasked | (long ? 127 : 126)
  if (long) bytes.writeBigUInt64BE(BigInt(length), 2)
  else bytes.writeUInt16BE(length, 2)
  return bytes
}

/** Reads the frames of a server, whose payloads are not masked, however they are cut into chunks. */
export class FrameReader {
  #bytes: Buffer = Buffer.alloc(0)

  read(chunk: Buffer): Frame[] {
    this.#bytes = Buffer.concat([this.#bytes, chunk])
    const frames: Frame[] = []
    for (;;) {
      const start = this.#headerLength()
      if (this.#bytes.length < start) return frames
      const end = start + this.#payloadLength()
      if (this.#bytes.length < end) return frames
      frames.push({ opcode: (this.#bytes[0] as number) & 0x0f, payload: this.#bytes.subarray(start, end) })
      this.#bytes = this.#bytes.subarray(end)
    }
  }

  #headerLength(): number {
    const short = (this.#bytes[1] ?? 0) & 0x7f
    return 2 + (short === 127 ? 8 : short === 126 ? 2 : 0)
  }

  #payloadLength(): number {
    const short = (this.#bytes[1] as number) & 0x7f
    if (short === 127) return Number(this.#bytes.readBigUInt64BE(2))
    return short === 126 ? this.#bytes.readUInt16BE(2) : short
  }
}
