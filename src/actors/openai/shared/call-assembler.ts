/**
 * Puts the tool calls of a stream together. By the protocol the first fragment of a call has its index, id and name,
 * and the others have the index and a piece of the arguments. Real servers also send whole calls that all have index
 * 0 (Ollama), no index (Gemini), the same id, a new id with every fragment, or id and name with every fragment.
 */
import type { CallPart, PartData } from './part.ts'

interface OpenCall {
  readonly index: number
  id: string
  name: string
  args: string
  data?: PartData
}

export class CallAssembler {
  readonly #calls: OpenCall[] = []

  add(part: CallPart): void {
    const open = this.#find(part)
    if (open === undefined || startsAnother(part, open)) {
      this.#calls.push({ ...part, index: part.index ?? this.#calls.length })
      return
    }
    open.id ||= part.id
    open.name ||= part.name
    open.args += part.args
    if (part.data !== undefined) open.data = { ...open.data, ...part.data }
  }

  /** The calls by index; those that share an index in the order in which they began. */
  finish(): readonly CallPart[] {
    return this.#calls.toSorted((a, b) => a.index - b.index)
  }

  /** The call that a fragment would continue. */
  #find({ index, id, name }: CallPart): OpenCall | undefined {
    if (index !== undefined) return this.#calls.findLast((call) => call.index === index)
    if (id !== '') return this.#calls.findLast((call) => call.id === id)
    return name === '' ? this.#calls.at(-1) : undefined
  }
}

/** Whether the fragment begins a call of its own, although it has the index or the id of one before it. */
function startsAnother(part: CallPart, open: OpenCall): boolean {
  if (part.name === '' || open.name === '') return false
  if (part.name !== open.name) return true
  if (part.id !== '' && open.id !== '' && part.id !== open.id) return true
  return part.args !== '' && isComplete(open.args)
}

/** No beginning of a JSON object is a JSON object, so a complete one has no continuation. */
function isComplete(args: string): boolean {
  if (!args.trimEnd().endsWith('}')) return false
  try {
    JSON.parse(args)
    return true
  } catch {
    return false
  }
}
