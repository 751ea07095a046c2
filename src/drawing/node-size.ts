/** The sizes of nodes, by the texts that they show in the font that they are drawn in. */
import type { ChartState } from '../index.ts'
import type { DiagramNode } from './diagram.ts'
import type { Box, Size } from './layers/geometry.ts'

/** The width of a text in pixels. */
export type Measure = (text: string) => number

export const lineHeight = 20
/** Before and behind the text. */
export const padding = 9
const widest = 190
const gap = 4

export function sizeOf({ kind, text }: DiagramNode, measure: Measure): Size {
  if (kind === 'entry' && text === '') return { width: 10, height: 10 }
  return { width: textWidth(text, measure), height: lineHeight }
}

/** The final states stand side by side, in rows of four, or below one another. */
export function endsSize(
  { states }: DiagramNode,
  direction: 'down' | 'right',
  measure: Measure,
): Size & { readonly parts: readonly (Box & { readonly state: ChartState })[] } {
  const perRow = direction === 'down' ? Math.min(4, states.length) : 1
  const width = Math.max(...states.map(({ name }) => textWidth(name, measure)))
  const parts = states.map((state, at) => ({
    state,
    x: gap + (at % perRow) * (width + gap),
    y: gap + Math.floor(at / perRow) * (lineHeight + gap),
    width,
    height: lineHeight,
  }))
  const rows = Math.ceil(states.length / perRow)
  return { width: perRow * (width + gap) + gap, height: rows * (lineHeight + gap) + gap, parts }
}

function textWidth(text: string, measure: Measure): number {
  return Math.min(widest, Math.ceil(measure(text)) + 2 * padding)
}

/** The text, cut to a width. */
export function cutTo(text: string, width: number, measure: Measure): string {
  if (measure(text) <= width) return text
  let length = text.length
  while (length > 1 && measure(`${text.slice(0, length)}…`) > width) length--
  return `${text.slice(0, length)}…`
}
