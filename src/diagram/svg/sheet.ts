/**
 * The elements of a drawing, as text. They have no ids and no styles of their own, so that drawings can stand in one page.
 * Foreign text comes in here alone: characters that are not seen become marks, and the rest is escaped.
 */
import { visibleText } from '../../actors/values/visible-text.ts'
import { smoothPath, type Box, type Point } from '../../drawing/layers/geometry.ts'
import { textSize, textWidth, type Font } from './text-width.ts'
import type { Colours } from './themes.ts'

/** A text of others is cut before anything else is done with it. */
const longest = 400

/** A text of others in one line, as a person can see it. */
export function seen(text: string): string {
  const cut = text.length <= longest ? text : `${text.slice(0, longest)}…`
  return visibleText(cut.toWellFormed().replaceAll(/\s+/g, ' ').trim())
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

export interface TextLook extends Font {
  readonly fill?: string
}

/** `x`, `y`: the middle of the line. */
export function textAt({ x, y }: Point, text: string, look: TextLook = {}): string {
  const width = textWidth(text, look)
  return textFrom({ x: x - width / 2, y }, text, look)
}

/** `x`: its beginning. `y`: the middle of the line. */
export function textFrom({ x, y }: Point, text: string, look: TextLook = {}): string {
  if (text === '') return ''
  const { size = textSize, isBold = false, fill } = look
  const attributes = [
    `x="${round(x)}" y="${round(y + size * 0.36)}" textLength="${textWidth(text, look)}" lengthAdjust="spacingAndGlyphs"`,
    ...(size === textSize ? [] : [`font-size="${size}"`]),
    ...(isBold ? ['font-weight="600"'] : []),
    ...(fill === undefined ? [] : [`fill="${fill}"`]),
  ]
  return `<text ${attributes.join(' ')}>${escaped(text)}</text>`
}

export interface BoxLook {
  readonly fill: string
  readonly stroke?: string
  readonly radius?: number
  readonly width?: number
  readonly isDashed?: boolean
}

export function boxAt(box: Box, { fill, stroke, radius = 0, width = 1, isDashed = false }: BoxLook): string {
  const attributes = [
    `x="${round(box.x)}" y="${round(box.y)}" width="${round(box.width)}" height="${round(box.height)}"`,
    ...(radius === 0 ? [] : [`rx="${radius}"`]),
    `fill="${fill}"`,
    ...(stroke === undefined ? [] : [`stroke="${stroke}"`]),
    ...(width === 1 ? [] : [`stroke-width="${width}"`]),
    ...(isDashed ? ['stroke-dasharray="4 3"'] : []),
  ]
  return `<rect ${attributes.join(' ')}/>`
}

export interface LineLook {
  readonly stroke: string
  readonly isDashed?: boolean
  readonly hasTip?: boolean
}

/** A smooth line through the points, with the tip of an arrow at its end. */
export function lineAlong(
  points: readonly Point[],
  { stroke, isDashed = false, hasTip = true }: LineLook,
): string {
  const [end, before] = [points.at(-1), points.at(-2)]
  const dashes = isDashed ? ' stroke-dasharray="4 3"' : ''
  const line = `<path d="${smoothPath(points)}" fill="none" stroke="${stroke}"${dashes}/>`
  return hasTip && end !== undefined && before !== undefined ? line + tip(before, end, stroke) : line
}

function tip(from: Point, to: Point, fill: string): string {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1
  const [x, y] = [(to.x - from.x) / length, (to.y - from.y) / length]
  const corner = (side: number): string =>
    `${round(to.x - 8 * x + side * 3.5 * y)},${round(to.y - 8 * y - side * 3.5 * x)}`
  return `<path d="M${round(to.x)},${round(to.y)}L${corner(1)} ${corner(-1)}z" fill="${fill}"/>`
}

/** A group with the words that a pointer, or a reader of the page, finds at it. */
export function titled(title: string, elements: readonly string[]): string {
  return `<g><title>${escaped(title)}</title>${elements.join('')}</g>`
}

const fonts = "-apple-system,BlinkMacSystemFont,'Segoe UI','Noto Sans',Helvetica,Arial,sans-serif"

interface Whole {
  readonly width: number
  readonly height: number
  readonly title: string
  readonly description: string
  readonly colours: Colours
}

export function svgOf(
  { width, height, title, description, colours }: Whole,
  body: readonly string[],
): string {
  const [w, h] = [Math.ceil(width), Math.ceil(height)]
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}" role="img" font-family="${fonts}" font-size="${textSize}" fill="${colours.text}">`,
    `<title>${escaped(title)}</title>`,
    `<desc>${escaped(description)}</desc>`,
    boxAt({ x: 0, y: 0, width: w, height: h }, { fill: colours.background }),
    ...body.filter((element) => element !== ''),
    '</svg>',
    '',
  ].join('\n')
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
