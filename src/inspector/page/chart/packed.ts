/** The regions of a parallel state: side by side, or below one another, in rows of about the same extent. */
import type { Box, Point, Size } from './layers/geometry.ts'

const gap = 12

export function packed(
  sizes: readonly Size[],
  direction: 'down' | 'right',
): Size & { readonly boxes: readonly Point[] } {
  const perRow = direction === 'down' ? Math.ceil(Math.sqrt(sizes.length)) : 1
  const boxes: Box[] = []
  let y = 0
  for (let first = 0; first < sizes.length; first += perRow) {
    const row = sizes.slice(first, first + perRow)
    let x = 0
    for (const { width, height } of row) {
      boxes.push({ x, y, width, height })
      x += width + gap
    }
    y += Math.max(...row.map(({ height }) => height)) + gap
  }
  const right = Math.max(0, ...boxes.map(({ x, width }) => x + width))
  return { boxes, width: right, height: Math.max(0, y - gap) }
}
