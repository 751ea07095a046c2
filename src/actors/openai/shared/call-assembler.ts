/**
 * Puts the tool calls of a stream together. By the protocol the first fragment of a call has its index, id and name,
 * and the others have the index and a piece of the arguments. Real servers also send whole calls that all have index
 * 0 (Ollama), no index (Gemini), the same id, a new id with every fragment, or id and name with every fragment. Some
 * send the arguments once more when they are whole (vLLM), as JSON or as the text of it (LiteLLM).
 */
import type { CallDelta } from '../../chat-model.ts'
import type { CallPart, PartData } from './part.ts'

interface OpenCall {
  readonly index: number
  id: string
  name: string
  args: string
  data?: PartData
  /** Its position among the calls, once a piece of it was told. */
  position?: number
  /** How much of the arguments was told. */
  told: number
}

/** The meaning of an index: a position among the calls, or among all items of the reply. */
type Counted = 'calls' | 'items'

export class CallAssembler {
  readonly #calls: OpenCall[] = []
  readonly #counted: Counted

  constructor(counted: Counted = 'calls') {
    this.#counted = counted
  }

  /** Returns the delta of the arguments, which are not told before the name of the call is known. */
  add(part: CallPart): CallDelta | undefined {
    const open = this.#find(part)
    if (open !== undefined && repeats(part, open)) return undefined
    if (open === undefined || startsAnother(part, open)) {
      const begun: OpenCall = { ...part, index: part.index ?? this.#calls.length, told: 0 }
      this.#calls.push(begun)
      return this.#untold(begun)
    }
    open.id ||= part.id
    open.name ||= part.name
    open.args += part.args
    if (part.data !== undefined) open.data = { ...open.data, ...part.data }
    return this.#untold(open)
  }

  /** The calls by index; those that share an index in the order in which they began. */
  finish(): readonly CallPart[] {
    return this.#sorted().map(({ index, id, name, args, data }) => ({
      index,
      id,
      name,
      args,
      ...(data === undefined ? {} : { data }),
    }))
  }

  #sorted(): readonly OpenCall[] {
    return this.#calls.toSorted((a, b) => a.index - b.index)
  }

  /** As far as it is known by now: pieces of a later call may come first. */
  #positionOf(open: OpenCall): number {
    const taken = new Set(this.#calls.map(({ position }) => position))
    let position = this.#counted === 'calls' ? open.index : this.#sorted().indexOf(open)
    while (taken.has(position)) position++
    return position
  }

  #untold(open: OpenCall): CallDelta | undefined {
    const { id, name, args, told } = open
    if (name === '' || told === args.length) return undefined
    open.told = args.length
    open.position ??= this.#positionOf(open)
    return { type: 'tool-args', index: open.position, id, name, text: args.slice(told) }
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

/** Whether the fragment says once more what the open call has already: its arguments, whole, under its own id. */
function repeats({ id, name, args }: CallPart, open: OpenCall): boolean {
  if ((id !== '' && id !== open.id) || (name !== '' && name !== open.name)) return false
  if (args === open.args) return (id !== '' || name === '') && isComplete(args)
  // The text of the arguments as JSON is longer than they are.
  return (
    args.length > open.args.length &&
    args.startsWith('"') &&
    parsed(args) === open.args &&
    isComplete(open.args)
  )
}

/** No beginning of a JSON object is a JSON object, so a complete one has no continuation. */
function isComplete(args: string): boolean {
  return args.trimEnd().endsWith('}') && parsed(args) !== undefined
}

function parsed(args: string): unknown {
  try {
    return JSON.parse(args)
  } catch {
    return undefined
  }
}
