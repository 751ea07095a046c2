/** The WebSocket frames of RFC 6455: written for a server, read from one, of every length. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { frame, FrameReader, opcodes } from '../../src/inspect-stately/frames.ts'

/** A frame as a server writes it: not masked. From the RFC, section 5.2, and not from our code. */
function served(opcode: number, payload: Buffer): Buffer {
  const { length } = payload
  if (length < 126) return Buffer.concat([Buffer.from([0x80 + opcode, length]), payload])
  if (length < 65_536)
    return Buffer.concat([Buffer.from([0x80 + opcode, 126, length >> 8, length & 255]), payload])
  const header = Buffer.alloc(10)
  header.writeUInt8(0x80 + opcode)
  header.writeUInt8(127, 1)
  header.writeUInt32BE(length, 6)
  return Buffer.concat([header, payload])
}

/** Takes the mask off a frame of a client, whose header is this long without the mask. */
function unmasked(bytes: Buffer, headerLength: number): Buffer {
  const mask = bytes.subarray(headerLength, headerLength + 4)
  return Buffer.from(bytes.subarray(headerLength + 4).map((byte, i) => byte ^ (mask[i % 4] ?? 0)))
}

test.for([
  [0, 2, '8180'],
  [125, 2, '81fd'],
  [126, 4, '81fe007e'],
  [65_535, 4, '81feffff'],
  [65_536, 10, '81ff0000000000010000'],
] as const)('a text of %i bytes is written with a header of %i bytes', ([length, headerLength, header]) => {
  const payload = Buffer.alloc(length, 'tea')
  const written = frame(opcodes.text, payload)
  expect(written.subarray(0, headerLength).toString('hex')).toBe(header)
  expect(unmasked(written, headerLength).equals(payload)).toBe(true)
})

test('the example of the RFC is read', () => {
  const hello = Buffer.from('810548656c6c6f', 'hex')
  expect(new FrameReader().read(hello)).toEqual([{ opcode: opcodes.text, payload: Buffer.from('Hello') }])
})

test('property: frames are read as they were sent, however they are cut', () => {
  const sent = fc.array(
    fc.record({
      opcode: fc.constantFrom(...Object.values(opcodes)),
      length: fc.oneof(fc.nat(200), fc.constantFrom(65_535, 65_536)),
    }),
    { maxLength: 5 },
  )
  fc.assert(
    fc.property(sent, fc.array(fc.nat(70_000), { maxLength: 10 }), (frames, cuts) => {
      const expected = frames.map(({ opcode, length }) => ({ opcode, payload: Buffer.alloc(length, opcode) }))
      const bytes = Buffer.concat(expected.map(({ opcode, payload }) => served(opcode, payload)))
      const reader = new FrameReader()
      const ends = [...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length].toSorted((a, b) => a - b)
      const read = ends.flatMap((end, i) => reader.read(bytes.subarray(ends[i - 1] ?? 0, end)))
      expect(read.map(({ opcode, payload }) => [opcode, payload.length])).toEqual(
        expected.map(({ opcode, payload }) => [opcode, payload.length]),
      )
      expect(
        Buffer.concat(read.map(({ payload }) => payload)).equals(
          Buffer.concat(expected.map(({ payload }) => payload)),
        ),
      ).toBe(true)
    }),
  )
})
