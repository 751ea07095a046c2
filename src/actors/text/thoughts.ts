/**
 * Thoughts that a model writes into its text, as `<think>…</think>`: open models do where their server does not part them.
 * They are reasoning. The time is linear in the text.
 */

/** A piece of the text of a reply, or of the thoughts in it. */
export interface ReadPart {
  readonly type: 'text' | 'reasoning'
  readonly text: string
}

interface Tag {
  readonly opening: string
  readonly closing: string
}

const named = (name: string): Tag => ({ opening: `<${name}>`, closing: `</${name}>` })

/** The tags that models are trained to think in. */
const trained: readonly Tag[] = [
  named('think'),
  named('thought'),
  named('seed:think'),
  { opening: '[THINK]', closing: '[/THINK]' },
  { opening: '◁think▷', closing: '◁/think▷' },
  { opening: '<|begin_of_thought|>', closing: '<|end_of_thought|>' },
]

/** The tags that prompts ask models to think in, too: before a value they are thoughts, in a text they may be meant. */
const all: readonly Tag[] = [...trained, named('thinking'), named('thoughts'), named('reasoning')]

/** A text in two parts. */
export interface Parted {
  readonly thoughts: string
  /** The text without the thoughts. */
  readonly answer: string
  /** The tag that began them; absent where there are none, and where nothing did. */
  readonly opening?: string
}

/**
 * Parts all thoughts of a text from the rest, wherever they stand. A text that only closes them began with them: some
 * servers put the opening tag into the prompt. Thoughts that are not closed go to the end: the reply was cut off in them.
 */
export function withoutThoughts(text: string): Parted {
  const parted = { thoughts: '', answer: '' }
  let at = 0
  let open: Tag | undefined
  for (const { index, 0: found } of text.matchAll(anyTag)) {
    const before = text.slice(at, index)
    const opened = all.find(({ opening }) => opening === found)
    if (open !== undefined) {
      if (found !== open.closing) continue
      parted.thoughts += before
      open = undefined
    } else if (opened !== undefined) {
      parted.answer += before
      open = opened
    } else {
      // What stands before thoughts that nobody opened belongs to them.
      parted.thoughts += parted.answer + before
      parted.answer = ''
    }
    at = index + found.length
  }
  parted[open === undefined ? 'answer' : 'thoughts'] += text.slice(at)
  return parted
}

const anyTag =
  /<\/?(?:think|thought|seed:think|thinking|thoughts|reasoning)>|\[\/?THINK\]|◁\/?think▷|<\|(?:begin|end)_of_thought\|>/g

/**
 * Parts the thoughts with which a reply begins from its text. What stands later is meant: a text may speak of such a tag.
 * A reply that begins without a tag, and has the end of thoughts in a line of its own, began with them.
 */
export function partedReply(text: string): Parted {
  const reader = new ThoughtReader()
  const parts = [...reader.add(text), ...reader.end()]
  const { opening } = reader
  if (opening !== undefined) {
    return { thoughts: textOf(parts, 'reasoning'), answer: textOf(parts, 'text'), opening }
  }
  return unopened(text) ?? { thoughts: '', answer: text }
}

function unopened(text: string): Parted | undefined {
  const lines = /^(?:<\/(?:think|thought|seed:think)>|\[\/THINK\]|◁\/think▷|<\|end_of_thought\|>)[ \t]*$/m
  const found = lines.exec(text)
  if (found === null) return undefined
  const before = text.slice(0, found.index)
  const hasOpening = trained.some(({ opening }) => before.includes(opening))
  const isInCode = before.split('\n```').length % 2 === 0
  if (hasOpening || isInCode) return undefined
  return { thoughts: before.trim(), answer: text.slice(found.index + found[0].length).trimStart() }
}

function textOf(parts: readonly ReadPart[], type: ReadPart['type']): string {
  return parts.map((part) => (part.type === type ? part.text : '')).join('')
}

/** Thoughts and a text, as the model has written them. */
export function asWritten(opening: string, thoughts: string, text: string): string {
  const closing = trained.find((tag) => tag.opening === opening)?.closing
  return closing === undefined ? text : `${opening}\n${thoughts}\n${closing}\n\n${text}`
}

type Place = 'beginning' | 'thoughts' | 'answer'

/** Parts the text of a reply as it comes, in pieces of any size. White space around thoughts is in neither part. */
export class ThoughtReader {
  #place: Place = 'beginning'
  #tag: Tag | undefined
  /** The beginning of what may be a tag. */
  #held = ''
  /** White space that counts if something follows it. */
  #space = ''
  /** Whether a word came since the tag, and whether one came before. */
  #hasThought = false
  #hasTold = false
  #first: Tag | undefined

  /** The tag of the first thoughts; `undefined`: there are none. */
  get opening(): string | undefined {
    return this.#first?.opening
  }

  /** The parts that a piece of the text completes. */
  add(piece: string): readonly ReadPart[] {
    const parts: ReadPart[] = []
    let rest = piece
    while (rest !== '') {
      if (this.#place === 'answer') {
        parts.push({ type: 'text', text: rest })
        return parts
      }
      rest = this.#place === 'beginning' ? this.#begin(rest, parts) : this.#think(rest, parts)
    }
    return parts
  }

  /** What was held, where the reply ends. */
  end(): readonly ReadPart[] {
    const text = this.#place === 'thoughts' ? this.#held : this.#leadingSpace() + this.#held
    this.#held = ''
    if (text === '') return []
    return this.#place === 'thoughts' ? this.#thought(text) : [{ type: 'text', text }]
  }

  /** Reads a tag, or finds that there is none. Returns what is still to be read. */
  #begin(piece: string, parts: ReadPart[]): string {
    const text = this.#held === '' ? piece.trimStart() : this.#held + piece
    if (this.#held === '') this.#space += piece.slice(0, piece.length - text.length)
    this.#held = ''
    const tag = trained.find(({ opening }) => text.startsWith(opening))
    if (tag !== undefined) {
      this.#first ??= tag
      this.#tag = tag
      this.#place = 'thoughts'
      this.#space = ''
      this.#hasThought = false
      return text.slice(tag.opening.length)
    }
    if (trained.some(({ opening }) => opening.startsWith(text))) {
      this.#held = text
      return ''
    }
    this.#place = 'answer'
    parts.push({ type: 'text', text: this.#leadingSpace() + text })
    this.#space = ''
    return ''
  }

  /** Reads thoughts up to their end. Returns what is still to be read. */
  #think(piece: string, parts: ReadPart[]): string {
    const closing = this.#tag?.closing ?? ''
    const text = this.#held + piece
    const end = text.indexOf(closing)
    const thought = end === -1 ? text.slice(0, text.length - heldLength(text, closing)) : text.slice(0, end)
    this.#held = end === -1 ? text.slice(thought.length) : ''
    parts.push(...this.#thought(thought))
    if (end === -1) return ''
    this.#place = 'beginning'
    this.#space = ''
    return text.slice(end + closing.length)
  }

  #thought(piece: string): readonly ReadPart[] {
    const told = piece.trimEnd()
    const space = piece.slice(told.length)
    if (told === '') {
      this.#space += space
      return []
    }
    const isFirst = !this.#hasThought
    const before = isFirst ? (this.#hasTold ? '\n\n' : '') : this.#space
    this.#hasThought = true
    this.#hasTold = true
    this.#space = space
    return [{ type: 'reasoning', text: before + (isFirst ? told.trimStart() : told) }]
  }

  /** White space behind thoughts is none of the text. */
  #leadingSpace(): string {
    return this.#first === undefined ? this.#space : ''
  }
}

/** How many characters at the end of a text may begin the tag. */
function heldLength(text: string, tag: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(tag.slice(0, length))) return length
  }
  return 0
}
