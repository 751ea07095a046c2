/** The lines of a text that comes in pieces. */

/** The text of an export, in pieces of any length: a file as a stream, an export itself, or one text. */
export type ImportSource = string | Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>

/** A line is longer than it may be. */
export class LongLine extends Error {
  constructor(maxLine: number) {
    super(`it has more than ${maxLine} characters.`)
  }
}

/** Without their line feeds. The last one may have none; empty lines are left out. */
export async function* linesOf(source: ImportSource, maxLine: number): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8')
  let pieces: string[] = []
  let length = 0
  const end = (): string => {
    const line = pieces.join('')
    pieces = []
    length = 0
    return line.endsWith('\r') ? line.slice(0, -1) : line
  }
  for await (const piece of typeof source === 'string' ? [source] : source) {
    const text = typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true })
    let from = 0
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', from)) {
      pieces.push(text.slice(from, at))
      from = at + 1
      const line = end()
      if (line.length > maxLine) throw new LongLine(maxLine)
      if (line !== '') yield line
    }
    if (from < text.length) pieces.push(text.slice(from))
    length += text.length - from
    if (length > maxLine) throw new LongLine(maxLine)
  }
  pieces.push(decoder.decode())
  const last = end()
  if (last !== '') yield last
}
