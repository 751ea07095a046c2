/**
 * The URIs of a graph. The scheme is TrustGraph's (`urn:trustgraph:agent:{session}` and the URIs below it); all of them
 * derive from the run's id and the paths of its actors, so a replay gives the same ones.
 */
import { ConfigurationError } from '../../index.ts'

const defaultPrefix = 'urn:trustgraph:'

/** Ids may hold any character; a URI may not. The colon stays: ids of our own actors have it, and it does no harm. */
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

  /** Returns a new URI: `wanted`, or with a number where it is taken already. */
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

  person(name: string): string {
    return `${this.#prefix}person:${encoded(name)}`
  }

  pattern(name: string): string {
    return `${this.#prefix}pattern:${encoded(name)}`
  }

  taskType(name: string): string {
    return `${this.#prefix}task-type:${encoded(name)}`
  }

  /** The primitive that a routing agent offers under a key. */
  primitive(agentId: string, type: string, key: string): string {
    return `${this.#prefix}primitive:${encoded(agentId)}/${encoded(type)}/${encoded(key)}`
  }
}
