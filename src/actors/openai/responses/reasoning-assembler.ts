/**
 * The reasoning of a stream. Each of its parts is a paragraph, as in the reply that is not streamed; and where a
 * server sends the same reasoning twice, as text and as summary, the one that comes first counts.
 */
import { readText } from '../shared/part.ts'

export class ReasoningAssembler {
  text = ''
  #type: unknown
  #part = ''

  /** Adds a delta, and returns the piece that it adds to the text; empty for a repetition. */
  add(event: Record<string, unknown>): string {
    const delta = readText(event['delta'])
    this.#type ??= event['type']
    if (delta === '' || event['type'] !== this.#type) return ''
    const part = `${String(event['output_index'])}:${String(event['summary_index'] ?? event['content_index'])}`
    const piece = this.text !== '' && part !== this.#part ? `\n\n${delta}` : delta
    this.#part = part
    this.text += piece
    return piece
  }
}
