/** The texts of a drawing with their boxes, as the document places them. */
import { expect } from 'vitest'
import { overlaps, type Box } from '../../../src/drawing/layers/geometry.ts'

export interface DrawnText extends Box {
  readonly text: string
  readonly size: number
}

export interface Drawn {
  readonly width: number
  readonly height: number
  readonly texts: readonly DrawnText[]
}

/** Reads the document: groups that are moved, and texts in them. */
export function readDrawing(svg: string): Drawn {
  const [, width = '', height = ''] = /^<svg [^>]*?width="(\d+)" height="(\d+)"/.exec(svg) ?? []
  const shifts: { readonly x: number; readonly y: number }[] = []
  const texts: DrawnText[] = []
  for (const [, tag = '', attributes = '', content = ''] of svg.matchAll(/<(\/?g|text)\b([^>]*)>([^<]*)/g)) {
    const number = (name: string): number | undefined => {
      const value = new RegExp(` ${name}="([^"]*)"`).exec(attributes)?.[1]
      return value === undefined ? undefined : Number(value)
    }
    if (tag === '/g') shifts.pop()
    else if (tag === 'g') {
      const [, x = '0', y = '0'] = /translate\(([\d.-]+) ([\d.-]+)\)/.exec(attributes) ?? []
      shifts.push({ x: Number(x), y: Number(y) })
    } else {
      const size = number('font-size') ?? 12
      const shift = shifts.reduce((sum, { x, y }) => ({ x: sum.x + x, y: sum.y + y }), { x: 0, y: 0 })
      const [x, y, long] = [number('x'), number('y'), number('textLength')]
      if (x === undefined || y === undefined || long === undefined)
        throw new Error(`A text has no place: ${content}`)
      // From the tops of the letters to below their feet.
      texts.push({
        text: content,
        size,
        x: x + shift.x,
        y: y + shift.y - size * 0.8,
        width: long,
        height: size,
      })
    }
  }
  return { width: Number(width), height: Number(height), texts }
}

/** GitHub shows a page at about this width. */
export const pageWidth = 830

/** No text lies over another one or leaves the drawing, and none is lower than 12 pixels on a page. */
export function assertLegible(svg: string, { isNarrow = true }: { readonly isNarrow?: boolean } = {}): void {
  const { width, height, texts } = readDrawing(svg)
  const over = texts.flatMap((one, at) =>
    texts.slice(at + 1).flatMap((other) => (overlaps(one, other) ? [[one.text, other.text]] : [])),
  )
  expect(over).toEqual([])
  const outside = texts.filter(
    (one) => one.x < 0 || one.y < 0 || one.x + one.width > width || one.y + one.height > height,
  )
  expect(outside).toEqual([])
  if (!isNarrow) return
  expect(width).toBeLessThanOrEqual(pageWidth)
  expect(Math.min(12, ...texts.map(({ size }) => size))).toBe(12)
}
