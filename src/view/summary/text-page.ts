/** Text for terminals and logs: lines and tables of at most so many columns. */
import { aBoolean, columnsIn, cutToColumns, fittingColumns, is, withDefault } from '../../kit/index.ts'

const aWidth = is('a whole number of 40 or more', (given) => Number.isInteger(given) && Number(given) >= 40)

/** The options of every text. */
export const textFields = { width: withDefault(aWidth, 100), color: withDefault(aBoolean, false) }

/** Of money: two digits that count, and cents from 1 on. */
export function costText(cost: number): string {
  return cost === 0 || cost >= 1 ? cost.toFixed(2) : String(Number(cost.toPrecision(2)))
}

/** `12 ms`, `1.5 s`, `3 min 4 s`. */
export function timeText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

type Look = 'strong' | 'bad' | 'faint' | 'title'

const codes: Readonly<Record<Look, string>> = { strong: '1', bad: '31', faint: '2', title: '1;4' }

/** Lines of at most so many columns. */
export class TextPage {
  readonly #width: number
  readonly #color: boolean
  readonly #lines: string[] = []

  constructor(width: number, color: boolean) {
    this.#width = width
    this.#color = color
  }

  get text(): string {
    return `${this.#lines.join('\n')}\n`
  }

  /** A line that is longer is broken between words, and goes on two columns further in. */
  line(text = '', look?: Look): void {
    for (const line of broken(text, this.#width)) this.#lines.push(this.#looking(line.trimEnd(), look))
  }

  title(text: string): void {
    this.line()
    this.line(text, 'title')
  }

  /** Items with their entries; the lines of an item stand below one another. */
  list<Item>(
    title: string,
    items: readonly Item[],
    more: number | undefined,
    lines: (item: Item) => readonly [number, ...string[]],
  ): void {
    if (items.length === 0) return
    this.title(title)
    for (const item of items) {
      const [entry, first = '', ...others] = lines(item)
      const head = `  entry ${entry}  `
      this.line(head + first)
      for (const other of others) this.line(' '.repeat(head.length) + other)
    }
    if (more !== undefined && more > 0) this.line(`  … ${more} more`, 'faint')
  }

  /**
   * `left`: the columns of words; those of numbers stand to the right. Columns are cut, the last one where a row is too long; the
   * first is not where it is `whole`.
   */
  table(
    head: readonly string[],
    rows: readonly (readonly string[])[],
    left: readonly number[],
    whole = false,
  ): void {
    const all = [head, ...rows]
    const most = Math.max(8, Math.floor(this.#width / 4))
    const last = head.length - 1
    const widths = head.map((_, column) => Math.max(...all.map((row) => columnsIn(row[column] ?? ''))))
    const shown = widths.map((width, column) =>
      column === last || (whole && column === 0) ? width : Math.min(width, most),
    )
    all.forEach((row, index) => {
      const cells = row.map((cell, column) => {
        const width = shown[column] ?? 0
        const text = column === last ? cell : cutToColumns(cell, width)
        const space = ' '.repeat(Math.max(0, width - columnsIn(text)))
        return left.includes(column) ? text + space : space + text
      })
      const line = cutToColumns(`  ${cells.join('  ')}`.trimEnd(), this.#width)
      this.#lines.push(this.#looking(line, index === 0 ? 'faint' : undefined))
    })
  }

  #looking(text: string, look: Look | undefined): string {
    return !this.#color || look === undefined || text === '' ? text : `\u001B[${codes[look]}m${text}\u001B[0m`
  }
}

function broken(text: string, width: number): string[] {
  if (columnsIn(text) <= width) return [text]
  const indent = ' '.repeat(Math.min(/^ */.exec(text)?.[0].length ?? 0, Math.floor(width / 2)) + 2)
  const lines: string[] = []
  let rest = text
  while (columnsIn(rest) > width) {
    const end = fittingColumns(rest, width)
    const space = rest.lastIndexOf(' ', end)
    const at = space > indent.length + width / 3 ? space : end
    lines.push(rest.slice(0, at))
    rest = indent + rest.slice(at).trimStart()
  }
  return [...lines, rest]
}
