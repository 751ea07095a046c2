/** The codec that comes along: AES-256-GCM, with keys by name and by id. */
import { ConfigurationError, StoreError } from '../index.ts'
import {
  anything,
  either,
  having,
  is,
  readOptions,
  required,
  show,
  withDefault,
  defaultsOf,
  type Fields,
} from '../kit/index.ts'
import { aesOf, keyLength, type Aes } from './aes.ts'
import { after, type Awaitable } from './awaitable.ts'
import type { SealCodec, SealKey, SealKeys } from './codec.ts'

/** The options of `aesCodec`. */
export interface AesCodecOptions {
  /**
   * The keys: a list, the newest last, which seals all names alike; or the place where they are. A key has 32 bytes.
   */
  readonly keys: readonly SealKey[] | SealKeys
  /**
   * Milliseconds for which a key of a `SealKeys` is kept in memory: for as long it seals and opens after it was forgotten.
   * 0: it is asked for each time. Default: 60 000.
   */
  readonly keepKeys?: number
}

const fields = {
  keys: required(
    either(Array.isArray, anything, having('a list of keys, or an object that gives them', 'newest', 'find')),
  ),
  keepKeys: withDefault(
    is('a number of milliseconds', (given) => Number.isFinite(given) && Number(given) >= 0),
    60_000,
  ),
} satisfies Fields<AesCodecOptions>

/** The first byte of what this codec writes. */
const version = 1

const encoder = /* @__PURE__ */ new TextEncoder()
const decoder = /* @__PURE__ */ new TextDecoder()

interface ReadyKey extends Aes {
  /** The version, the length of the id, and the id. */
  readonly head: Uint8Array
}

/**
 * Makes a codec that seals by AES-256-GCM: a random nonce each time, and the place as associated data. The id of the key stands
 * before the ciphertext: the newest key seals, and an older one still opens what it has sealed. On Node, Bun and Deno it answers
 * at once; elsewhere by WebCrypto. Throws a `ConfigurationError` for a wrong option, and for a key that has not 32 bytes.
 */
export function aesCodec(options: AesCodecOptions): SealCodec {
  const { keys, keepKeys } = {
    ...defaultsOf(fields),
    ...readOptions<AesCodecOptions>(options, 'aesCodec', fields),
  }
  const ring = isList(keys) ? ringOf(keys) : kept(keys, keepKeys)
  return {
    seal: (bytes, { key, place }) =>
      after(ring.newest(key), (ready) => {
        if (ready === undefined) throw missing('The newest key of a name is not there')
        return after(ready.seal(bytes, place), (text) => joined(ready.head, text))
      }),
    open(sealed, { place }) {
      const { id, text } = parts(sealed)
      return after(ring.find(id), (ready) => {
        if (ready === undefined) throw missing(`The key of the id "${id}" is not there`)
        return opened(ready, text, place)
      })
    },
  }
}

function isList(keys: AesCodecOptions['keys']): keys is readonly SealKey[] {
  return Array.isArray(keys)
}

interface Ring {
  newest(name: string): Awaitable<ReadyKey | undefined>
  find(id: string): Awaitable<ReadyKey | undefined>
}

function ringOf(keys: readonly SealKey[]): Ring {
  if (keys.length === 0) throw new ConfigurationError('aesCodec: keys: give one key at least.')
  const ready = new Map(keys.map((key) => [key.id, readyKey(key)]))
  if (ready.size < keys.length)
    throw new ConfigurationError('aesCodec: keys: each key needs an id of its own.')
  const last = ready.get(keys.at(-1)?.id ?? '')
  return { newest: () => last, find: (id) => ready.get(id) }
}

/** The most keys that are kept. */
const mostKept = 10_000

/** Keys by their names and ids, each kept for a time. One that is not there is asked for again. */
function kept(keys: SealKeys, keepKeys: number): Ring {
  const remembered = (ask: (text: string) => Awaitable<SealKey | undefined>): Ring['find'] => {
    const known = new Map<string, { readonly key: ReadyKey; readonly until: number }>()
    return (text) => {
      const found = known.get(text)
      if (found !== undefined && performance.now() < found.until) return found.key
      known.delete(text)
      return after(ask(text), (key) => {
        if (key === undefined) return undefined
        const ready = readyKey(key)
        if (known.size >= mostKept) known.clear()
        known.set(text, { key: ready, until: performance.now() + keepKeys })
        return ready
      })
    }
  }
  return { newest: remembered((name) => keys.newest(name)), find: remembered((id) => keys.find(id)) }
}

function readyKey(given: SealKey): ReadyKey {
  const { id, bytes } = given ?? {}
  if (!(bytes instanceof Uint8Array) || bytes.length !== keyLength) {
    throw new ConfigurationError(`aesCodec: the key ${show(id)} must have ${keyLength} bytes.`)
  }
  const name = typeof id === 'string' ? encoder.encode(id) : new Uint8Array()
  if (name.length === 0 || name.length > 255) {
    throw new ConfigurationError(`aesCodec: the id of a key must have 1 to 255 bytes, not ${show(id)}.`)
  }
  return { ...aesOf(bytes), head: joined(Uint8Array.of(version, name.length), name) }
}

function parts(sealed: Uint8Array): { readonly id: string; readonly text: Uint8Array } {
  const [first, length = 0] = sealed
  const end = 2 + length
  // A nonce, and a tag.
  if (first !== version || length === 0 || sealed.length < end + 28)
    throw broken('they are cut, or of another codec')
  return { id: decoder.decode(sealed.subarray(2, end)), text: sealed.subarray(end) }
}

function opened(key: Aes, text: Uint8Array, place: Uint8Array): Awaitable<Uint8Array> {
  const refuse = (cause: unknown): never => {
    throw broken('they were changed or moved, or the key is another', cause)
  }
  try {
    const bytes = key.open(text, place)
    return bytes instanceof Promise ? bytes.catch(refuse) : bytes
  } catch (cause) {
    return refuse(cause)
  }
}

function broken(why: string, cause?: unknown): StoreError {
  return new StoreError(`Sealed bytes do not open: ${why}.`, { code: 'SEAL_BROKEN', cause })
}

function missing(what: string): StoreError {
  return new StoreError(`${what}: it was forgotten, or is elsewhere.`, { code: 'SEAL_KEY_MISSING' })
}

function joined(head: Uint8Array, text: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(head.length + text.length)
  bytes.set(head)
  bytes.set(text, head.length)
  return bytes
}
