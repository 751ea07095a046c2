/** The links of a chain: what they cover, and how they are made. */
import { ConfigurationError, type JournalEntry } from '../index.ts'
import { canonicalJson, is, isRecord, type Reader } from '../kit/index.ts'

/** The secrets of links, of 32 bytes or more, by their names; a journal may have links of several. */
export interface ChainKeys {
  /** The name of the key of new links. */
  readonly current: string
  readonly keys: Readonly<Record<string, Uint8Array>>
}

/** The end of a journal as somebody has noted it: kept elsewhere, it tells when entries at the end are gone. */
export interface JournalHead {
  /** How many entries the journal had. */
  readonly entries: number
  /** The link of the last of them. */
  readonly link: string
}

/** What is wrong with an entry. */
export interface ChainFault {
  /** Position in the journal, from 0. */
  readonly entry: number
  /**
   * `unlinked`: it has no link. `unknown-key`: its link is of a key that is not here. `broken`: it, or an entry before it, is not
   * the entry that was appended there. `missing`: the journal is shorter than the head tells. `other-head`: the journal had
   * another link there when the head was noted.
   */
  readonly fault: 'unlinked' | 'unknown-key' | 'broken' | 'missing' | 'other-head'
}

/** The result of a verification. */
export interface Verification {
  /** Each entry has its link, and the journal goes on from the head that was given. */
  readonly isIntact: boolean
  /** The first fault. Absent: there is none. Entries behind it are not looked at. */
  readonly fault?: ChainFault
  /** The end of the journal as it is now; the end of its intact part where there is a fault. Absent: no entry is intact. */
  readonly head?: JournalHead
}

/** The options of a verification. */
export interface VerifyOptions {
  /** The end of the journal as it was once. Default: the end of the journal is taken as it is. */
  readonly head?: JournalHead
}

export const aHead = is(
  'the head of a journal, as a verification gives it',
  (given) =>
    isRecord(given) &&
    Number.isSafeInteger(given['entries']) &&
    Number(given['entries']) > 0 &&
    typeof given['link'] === 'string',
) as Reader<JournalHead>

const shortestKey = 32

export const someKeys: Reader<ChainKeys['keys']> = (given, where) => {
  const keys = isRecord(given) ? Object.entries(given) : []
  if (keys.length === 0) throw new ConfigurationError(`${where} must be an object of keys by their names.`)
  for (const [name, key] of keys) {
    if (!/^[\w-]{1,64}$/.test(name))
      throw new ConfigurationError(
        `${where}: the name of a key must have at most 64 letters, digits, "_" and "-".`,
      )
    if (!(key instanceof Uint8Array) || key.length < shortestKey)
      throw new ConfigurationError(
        `${where}: the key "${name}" must be a Uint8Array of ${shortestKey} bytes or more.`,
      )
  }
  return given as ChainKeys['keys']
}

/** An entry with its link: `<name of the key>.<digest>`. */
export type LinkedEntry = JournalEntry & { readonly link?: string }

/** What an entry is without its link. */
export function unlinked({ link: _link, ...entry }: LinkedEntry): JournalEntry {
  return entry
}

/** Makes links. Digests are those of WebCrypto: HMAC-SHA256. */
export class Links {
  readonly #keys: ChainKeys
  readonly #imported = new Map<string, Promise<CryptoKey>>()

  constructor(keys: ChainKeys) {
    if (!Object.hasOwn(keys.keys, keys.current))
      throw new ConfigurationError(`chainedStore: current: there is no key "${keys.current}" among the keys.`)
    this.#keys = keys
  }

  /** The link of an entry behind the one with the link `before`; of the first entry that is `''`. */
  async next(runId: string, position: number, before: string, entry: JournalEntry): Promise<string> {
    return this.#made(this.#keys.current, runId, position, before, entry)
  }

  /** The fault of an entry; `undefined`: it has the link that belongs there. */
  async faultOf(
    runId: string,
    position: number,
    before: string,
    entry: LinkedEntry,
  ): Promise<ChainFault['fault'] | undefined> {
    const { link } = entry
    if (typeof link !== 'string') return 'unlinked'
    const name = link.slice(0, Math.max(link.indexOf('.'), 0))
    if (!Object.hasOwn(this.#keys.keys, name)) return 'unknown-key'
    return (await this.#made(name, runId, position, before, unlinked(entry))) === link ? undefined : 'broken'
  }

  async #made(
    name: string,
    runId: string,
    position: number,
    before: string,
    entry: JournalEntry,
  ): Promise<string> {
    const text = canonicalJson([runId, position, before, JSON.parse(JSON.stringify(entry))])
    const signed = await crypto.subtle.sign('HMAC', await this.#key(name), new TextEncoder().encode(text))
    const base64 = btoa(String.fromCharCode(...new Uint8Array(signed)))
    return `${name}.${base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`
  }

  #key(name: string): Promise<CryptoKey> {
    const known = this.#imported.get(name)
    if (known !== undefined) return known
    const bytes = Uint8Array.from(this.#keys.keys[name] ?? [])
    const made = crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
    this.#imported.set(name, made)
    return made
  }
}
