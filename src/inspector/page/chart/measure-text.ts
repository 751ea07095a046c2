/** The widths of texts in the font of the page. */

/** Pixels. */
const textSize = 12

/** For a page without a canvas: about the width of a letter. */
const letter = 6.6

const widths = new Map<string, number>()
let context: CanvasRenderingContext2D | null | undefined
let family: string | undefined

/** Measures in this font, and not in that of the document. */
export function measureIn(font: string): void {
  family = font
}

/** The width of a text of `textSize`, in pixels. */
export function measureText(text: string): number {
  const known = widths.get(text)
  if (known !== undefined) return known
  if (context === undefined) {
    context = document.createElement('canvas').getContext('2d')
    if (context !== null)
      context.font = `${textSize}px ${family ?? getComputedStyle(document.body).fontFamily}`
  }
  const width = context?.measureText(text).width ?? text.length * letter
  widths.set(text, width)
  return width
}
