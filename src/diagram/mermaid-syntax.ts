/**
 * Escapes ids and texts for Mermaid's lexer. It takes the first rule that fits, not the longest match, so keywords
 * win over ids and over labels; entity codes (`#58;`) are its own way of writing the characters it reserves.
 */
import type { AnyStateNode } from 'xstate'
import { isBox, statesOf, type Point } from './arrows.ts'

const reserved =
  /^(?:accDescr|accTitle|as|class|classDef|click|default|end|hide|href|note|root|scale|state|stateDiagram|style)$/i

/** Mermaid makes ids of its own that end in `_start` and `_end`; `direction` may swallow the next line. */
const ambiguous = /(?:_start|_end|direction)$/i

export function safeText(text: string): string {
  return (
    text
      .replace(/\s+/g, ' ')
      .trim()
      .replace(/[#:;"<>]|%(?=%)/g, entity)
      // "direction LR" is a statement in any place, and the letters may be on the next line.
      .replace(/direction(?=\s+(?:tb|bt|rl|lr)|$)/gi, (word) => word.slice(0, -1) + entity(word.slice(-1)))
  )
}

function entity(character: string): string {
  return `#${character.charCodeAt(0)};`
}

/** Gives each state the shortest readable id: its key where no other state has it, else its path. */
export class MermaidIds {
  readonly #ids = new Map<AnyStateNode, string>()
  readonly #anyIds = new Map<AnyStateNode, string>()
  readonly #taken = new Set<string>()

  constructor(root: AnyStateNode) {
    const states = isBox(root) ? statesOf(root) : statesOf(root).slice(1)
    const uses = new Map<string, number>()
    for (const state of states) uses.set(safeId(state.key), (uses.get(safeId(state.key)) ?? 0) + 1)
    for (const state of states) {
      const isUnique = uses.get(safeId(state.key)) === 1
      this.#ids.set(state, this.#take(isUnique ? state.key : state.path.join('_') || state.key))
    }
  }

  idOf(state: AnyStateNode): string {
    return this.#ids.get(state) ?? safeId(state.key)
  }

  /** The id of an end of an arrow. */
  idOfPoint({ state, as }: Point): string {
    if (as === 'itself') return this.idOf(state)
    if (as === 'entry') return '[*]'
    const id =
      this.#anyIds.get(state) ?? this.#take(state.parent === undefined ? as : `${as}_${this.idOf(state)}`)
    this.#anyIds.set(state, id)
    return id
  }

  #take(name: string): string {
    let id = safeId(name)
    while (this.#taken.has(id)) id += '_'
    this.#taken.add(id)
    return id
  }
}

function safeId(name: string): string {
  const id = name.replace(/[^\p{L}\p{N}_]/gu, '_')
  return id === '' || reserved.test(id) || ambiguous.test(id) ? `${id}_` : id
}
