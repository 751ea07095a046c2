/**
 * Where the example prints to: lasting text, and on a terminal a live region beneath it that is redrawn in place.
 * Pipes and CI have no live region.
 */
import { styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

export class Terminal {
  readonly isLive: boolean
  readonly #out: NodeJS.WriteStream
  #drawn = 0
  #column = 0
  #space = ''
  #word = ''

  constructor(out: NodeJS.WriteStream) {
    this.#out = out
    out.once('error', () => process.exit()) // the reader has gone, as in `npm start | head`
    this.isLive = out.isTTY && !process.env['CI']
  }

  get columns(): number {
    return this.#out.columns ?? 100
  }

  style(style: Style, text: string): string {
    return styleText(style, text, { stream: this.#out })
  }

  print(line = ''): void {
    this.erase()
    this.endStream()
    this.#out.write(`${line}\n`)
  }

  /** Text as it comes, wrapped between words. */
  stream(text: string): void {
    this.erase()
    for (const part of text.split(/(\s)/)) {
      if (/^\s$/.test(part)) {
        this.#flushWord()
        if (part === '\n') this.#newLine()
        else this.#space += part
      } else {
        this.#word += part
      }
    }
  }

  endStream(): void {
    this.#flushWord()
    if (this.#column > 0) this.#newLine()
  }

  /** Draws the live region anew. A region that does not fit on the screen is cut, or it could not be erased. */
  draw(lines: readonly string[]): void {
    const room = Math.max(2, (this.#out.rows ?? 24) - 1)
    const shown =
      lines.length <= room ? lines : [...lines.slice(0, room - 1), `… ${lines.length - room + 1} more`]
    this.#out.write(`${this.#eraser()}${shown.join('\n')}\n`)
    this.#drawn = shown.length
  }

  erase(): void {
    if (this.#drawn > 0) this.#out.write(this.#eraser())
    this.#drawn = 0
  }

  #eraser(): string {
    return this.#drawn === 0 ? '' : `\u001b[${this.#drawn}A\u001b[J`
  }

  #flushWord(): void {
    if (this.#word === '') return
    const text = this.#space + this.#word
    if (this.#column > 0 && this.#column + text.length > Math.min(this.columns - 1, 88)) {
      this.#newLine()
      this.#space = ''
    }
    this.#out.write(this.#space + this.#word)
    this.#column += this.#space.length + this.#word.length
    this.#space = ''
    this.#word = ''
  }

  #newLine(): void {
    this.#out.write('\n')
    this.#column = 0
    this.#space = ''
  }
}
