/** What a model has learned of its server, in a bounded memory. */
import type { ModelRequest } from '../../chat-model.ts'
import { digestText } from '../../values/digest.ts'
import { quirkOf, schemaQuirks, type Quirk, type Quirks } from './quirks.ts'

/** The most schemas that are remembered; the one that was learned first is forgotten first. */
const mostSchemas = 500

export class LearnedQuirks {
  readonly #ofServer = new Set<Quirk>()
  readonly #ofSchemas = new Map<string, ReadonlySet<Quirk>>()
  readonly #possible: readonly Quirk[]

  /** `possible`: those that a request can be written for. */
  constructor(possible: readonly Quirk[] = schemaQuirks) {
    this.#possible = possible
  }

  /** Those that a request is written for. */
  of(request: ModelRequest): Set<Quirk> {
    if (this.#ofSchemas.size === 0) return new Set(this.#ofServer)
    const known = keysOf(request).flatMap((key) => [...(this.#ofSchemas.get(key) ?? [])])
    return new Set([...this.#ofServer, ...known])
  }

  /** The quirk that a refusal shows, of those that were not tried; `undefined`: the error has another reason. */
  shownBy(error: unknown, request: ModelRequest, tried: Quirks): Quirk | undefined {
    const untried = this.#possible.filter((one) => !tried.has(one))
    return quirkOf(error, request, untried)
  }

  /** Those that a request was taken with. */
  add(request: ModelRequest, quirks: Quirks): void {
    for (const quirk of quirks) if (!isOfSchemas(quirk)) this.#ofServer.add(quirk)
    const [format, all] = keysOf(request)
    if (quirks.has('lacks-formats')) this.#remember(format, ['lacks-formats'])
    const others = [...quirks].filter((quirk) => isOfSchemas(quirk) && quirk !== 'lacks-formats')
    if (others.length > 0) this.#remember(all, others)
  }

  #remember(key: string, quirks: readonly Quirk[]): void {
    this.#ofSchemas.set(key, new Set([...(this.#ofSchemas.get(key) ?? []), ...quirks]))
    const [first] = this.#ofSchemas.keys()
    if (this.#ofSchemas.size > mostSchemas && first !== undefined) this.#ofSchemas.delete(first)
  }
}

/** The shape of the answer, beside tools or without; and all schemas of the request. */
function keysOf({ responseFormat, tools }: ModelRequest): readonly [format: string, all: string] {
  const format = JSON.stringify(responseFormat?.schema ?? null)
  const beside = tools.length > 0 ? 'tools' : ''
  const parameters = JSON.stringify(tools.map(({ name, parameters, strict }) => [name, parameters, strict]))
  return [`format ${digestText(format, beside)}`, `all ${digestText(format, parameters)}`]
}

function isOfSchemas(quirk: Quirk): boolean {
  return schemaQuirks.some((one) => one === quirk)
}
