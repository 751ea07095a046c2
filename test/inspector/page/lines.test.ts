/** The lines of a body arrive whole, in whatever pieces the body comes. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { linesOf } from '../../../src/actors/text/lines.ts'
import { allOf } from '../../support/all-of.ts'

function bodyOf(pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece)
      controller.close()
    },
  })
}

test('lines of any text, cut anywhere', async () => {
  const line = fc
    .string({ unit: 'binary', minLength: 1 })
    .map((text) => text.toWellFormed().replaceAll('\n', ' '))
  await fc.assert(
    fc.asyncProperty(
      fc.array(line),
      fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
      async (lines, cuts) => {
        const bytes = new TextEncoder().encode(lines.map((text) => `${text}\n`).join(''))
        const pieces: Uint8Array[] = []
        for (let at = 0, index = 0; at < bytes.length; index++) {
          const next = at + (cuts[index % cuts.length] ?? 1)
          pieces.push(bytes.slice(at, next))
          at = next
        }
        expect(await allOf(linesOf(bodyOf(pieces)))).toEqual(lines)
      },
    ),
  )
})

test('a last line without an end is a line, and an empty line is none', async () => {
  const bytes = new TextEncoder().encode('a\n\nb')
  expect(await allOf(linesOf(bodyOf([bytes])))).toEqual(['a', 'b'])
})
