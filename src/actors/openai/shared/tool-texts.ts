/** The tools of requests as JSON. Each call of a step offers the same ones: their text is kept. */
import type { ToolDescription } from '../../chat-model.ts'

/** The texts of one model. They live as long as the lists of tools. */
export class ToolTexts {
  readonly #texts = new WeakMap<readonly ToolDescription[], string>()

  /** A JSON list. `toTool`: one tool on the wire, the same in each call. */
  list(tools: readonly ToolDescription[], toTool: (tool: ToolDescription) => object): string {
    const known = this.#texts.get(tools)
    if (known !== undefined) return known
    const text = JSON.stringify(tools.map(toTool))
    if (isFrozen(tools)) this.#texts.set(tools, text)
    return text
  }
}

/** With all that is in it. */
function isFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  return Object.isFrozen(value) && Object.values(value).every(isFrozen)
}
