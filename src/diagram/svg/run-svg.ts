/**
 * The sequence of a run as a drawing: a line for the caller and for each agent, and between them, from top to bottom, what they
 * say to each other. A call of a tool stands at the line of its agent.
 */
import type { Box } from '../../drawing/layers/geometry.ts'
import { boxAt, lineAlong, seen, svgOf, textAt, textFrom, titled } from './sheet.ts'
import { caller, type RunRow } from './run-rows.ts'
import { textWidth, wrapped } from './text-width.ts'
import { themes, type Theme } from './themes.ts'

interface RunDrawing {
  readonly theme: Theme
  readonly width: number
  /** The most rows. */
  readonly rows: number
}

const margin = 10
const lineHeight = 15
const narrowest = 62
const widestGap = 190
const mostText = 400
const nameFont = { isBold: true }

export function runSvg(all: readonly RunRow[], { theme, width, rows: most }: RunDrawing): string {
  const colours = themes[theme]
  const { background, line, muted, accent, fill, border } = colours
  const rows = shortened(all, most)
  const lanes = lanesOf(rows, Math.max(2, Math.floor((width - 2 * margin) / narrowest)))
  const gap = Math.min(widestGap, (width - 2 * margin) / lanes.names.length)
  const whole = Math.max(420, Math.ceil(gap * lanes.names.length) + 2 * margin)
  const xOf = (name: string): number => margin + gap * (lanes.placeOf(name) + 0.5)
  const heads = lanes.names.map((name) => wrapped(seen(name), gap - 14, 3, nameFont))
  const headHeight = Math.max(...heads.map((head) => head.length)) * lineHeight + 8
  let y = margin + headHeight + 10
  const elements = rows.flatMap((row): readonly string[] => {
    if ('left' in row) {
      y += lineHeight + 8
      const middle = { x: whole / 2, y: y - lineHeight / 2 - 4 }
      return textOn(middle, [`${row.left} rows are left out`], { fill: muted })
    }
    const from = xOf(row.from)
    const to = row.to === undefined ? from : xOf(row.to)
    const isNote = from === to
    const isRight = from < whole / 2
    const limit = isNote
      ? Math.min(mostText, (isRight ? whole - margin - from : from - margin) - 14)
      : Math.min(mostText, whole - 2 * margin)
    const lines = wrapped(seen(row.text), limit, 2)
    const height = lines.length * lineHeight
    const stroke = row.look === 'accent' ? accent : row.look === 'muted' ? muted : line
    const look = row.look === 'muted' ? { fill: muted } : row.look === 'accent' ? { fill: accent } : {}
    const widthOfText = Math.max(0, ...lines.map((text) => textWidth(text)))
    const top = y
    if (isNote) {
      y += height + 8
      const middle = isRight ? from + 12 + widthOfText / 2 : from - 12 - widthOfText / 2
      return [
        titled(seen(row.text), [
          `<circle cx="${round(from)}" cy="${round(top + lineHeight / 2)}" r="3.5" fill="${stroke}"/>`,
          ...textOn({ x: middle, y: top + lineHeight / 2 }, lines, look),
        ]),
      ]
    }
    y += height + 16
    const middle = clamped((from + to) / 2, margin + widthOfText / 2, whole - margin - widthOfText / 2)
    const ends = [
      { x: from, y: top + height + 5 },
      { x: to, y: top + height + 5 },
    ]
    return [
      titled(`${seen(row.from)} → ${seen(row.to ?? '')}: ${seen(row.text)}`, [
        lineAlong(ends, { stroke, isDashed: row.isReply === true }),
        ...textOn({ x: middle, y: top + lineHeight / 2 }, lines, look),
      ]),
    ]
  })
  const height = y + margin
  const body = [
    ...lanes.names.map((name) =>
      lineAlong(
        [
          { x: xOf(name), y: margin + headHeight },
          { x: xOf(name), y: height - margin },
        ],
        { stroke: border, isDashed: true, hasTip: false },
      ),
    ),
    ...lanes.names.map((name, at) =>
      head({ x: xOf(name) - gap / 2 + 3, y: margin, width: gap - 6, height: headHeight }, heads[at] ?? []),
    ),
    ...elements,
  ]
  return svgOf(
    {
      width: whole,
      height,
      title: 'The sequence of a run',
      description: `Between ${lanes.names.map(seen).join(', ')}.`,
      colours,
    },
    body,
  )

  function head(box: Box, lines: readonly string[]): string {
    const first = box.y + (box.height - lines.length * lineHeight) / 2
    const texts = lines.map((text, at) =>
      textAt({ x: box.x + box.width / 2, y: first + at * lineHeight + lineHeight / 2 }, text, nameFont),
    )
    return boxAt(box, { fill, stroke: border, radius: 6 }) + texts.join('')
  }

  /** Lines of text around a middle, over what is behind them. `y`: the middle of the first line. */
  function textOn(
    { x, y: first }: { readonly x: number; readonly y: number },
    lines: readonly string[],
    look: { readonly fill?: string },
  ): readonly string[] {
    const widest = Math.max(0, ...lines.map((text) => textWidth(text)))
    const box = {
      x: x - widest / 2 - 3,
      y: first - lineHeight / 2,
      width: widest + 6,
      height: lines.length * lineHeight,
    }
    return [
      boxAt(box, { fill: background, radius: 3 }),
      ...lines.map((text, at) => textFrom({ x: x - widest / 2, y: first + at * lineHeight }, text, look)),
    ]
  }
}

type ShownRow = RunRow | { readonly left: number }

/** The first rows and the last ones, where there are too many. */
function shortened(rows: readonly RunRow[], most: number): readonly ShownRow[] {
  if (rows.length <= most) return rows
  const last = Math.max(1, Math.floor(most / 4))
  const first = Math.max(1, most - last)
  return [...rows.slice(0, first), { left: rows.length - first - last }, ...rows.slice(-last)]
}

interface Lanes {
  readonly names: readonly string[]
  placeOf(name: string): number
}

/** In the order in which they come up. Those for which there is no room share the last line. */
function lanesOf(rows: readonly ShownRow[], most: number): Lanes {
  const named = rows.flatMap((row) =>
    'left' in row ? [] : row.to === undefined ? [row.from] : [row.from, row.to],
  )
  const all = [...new Set(named)]
  const others = all.length - most + 1
  const names = all.length <= most ? all : [...all.slice(0, most - 1), `${others} others`]
  const places = new Map(names.map((name, place) => [name, place]))
  return {
    names: names.length === 0 ? [caller] : names,
    placeOf: (name) => places.get(name) ?? Math.max(0, names.length - 1),
  }
}

function clamped(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value))
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
