/**
 * What things are called. The scheme is TrustGraph's (`urn:trustgraph:agent:{session}` and what hangs below it); all of
 * it derives from the run's id and the paths of its actors, so a replay gives the same names.
 */
import { ConfigurationError } from '../../errors.ts'

const defaultPrefix = 'urn:trustgraph:'

/** Ids may hold anything; a URI may not. The colon stays: ids of our own actors have it, and it does no harm. */
export function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll('%3A', ':')
}

export class Uris {
  readonly #prefix: string
  readonly #taken = new Set<string>()

  /** Throws a `ConfigurationError` for a prefix that begins no URI. */
  constructor(prefix: unknown = defaultPrefix) {
    if (
      typeof prefix !== 'string' ||
      !prefix.isWellFormed() ||
      !/^[a-z][a-z0-9+.-]*:[!#-;=?-[\]_a-z~]*$/i.test(prefix)
    ) {
      throw new ConfigurationError(
        `provenance: prefix must begin a URI, for example "${defaultPrefix}", not ${JSON.stringify(prefix)}.`,
      )
    }
    this.#prefix = prefix
  }

  /** Nothing is called what something else is called already. */
  mint(wanted: string): string {
    let uri = wanted
    for (let count = 2; this.#taken.has(uri); count++) uri = `${wanted}/${count}`
    this.#taken.add(uri)
    return uri
  }

  /** `path`: of the agent, from the root agent on; `undefined`: of the root agent itself. */
  session(runId: string, path?: string): string {
    const below = path === undefined ? '' : `/${path.split('/').map(encoded).join('/')}`
    return `${this.#prefix}agent:${encoded(runId)}${below}`
  }

  agent(id: string, version: string | undefined): string {
    const of = version === undefined ? '' : `/${encoded(version)}`
    return `${this.#prefix}definition:${encoded(id)}${of}`
  }

  pattern(name: string): string {
    return `${this.#prefix}pattern:${encoded(name)}`
  }

  taskType(name: string): string {
    return `${this.#prefix}task-type:${encoded(name)}`
  }

  /** What a routing agent has on offer under a key. */
  primitive(agentId: string, type: string, key: string): string {
    return `${this.#prefix}primitive:${encoded(agentId)}/${encoded(type)}/${encoded(key)}`
  }
}
