/**
 * Ids in the form in which a store has them: keyed digests that carry the id. The same id gives the same name, so that lists
 * find it; without the secret a name tells nothing but the length of its id.
 */
import { StoreError } from '../index.ts'
import { base64Of, bytesOf, sha256 } from '../kit/index.ts'

/** What an id is the id of: the same text as another kind gives another name. */
export type NameKind =
  'resource' | 'thread' | 'conversation' | 'message' | 'call' | 'claim' | 'effect' | 'kind' | 'item'

const encoder = /* @__PURE__ */ new TextEncoder()
const decoder = /* @__PURE__ */ new TextDecoder()

const blockLength = 64
const digestLength = 32

/** The bytes of a name that are the digest of its id. */
const tagLength = 16

/** The most names that are kept. */
const mostKept = 10_000

export class Names {
  readonly #tagKey: Uint8Array
  readonly #textKey: Uint8Array
  readonly #blobKey: Uint8Array
  /** Tells one secret from another. */
  readonly fingerprint: string
  readonly #names = new Map<string, string>()
  readonly #ids = new Map<string, string>()

  constructor(secret: Uint8Array) {
    const derived = (label: string): Uint8Array => hmac(secret, encoder.encode(`troupe/sealed ${label}`))
    this.#tagKey = derived('tag')
    this.#textKey = derived('text')
    this.#blobKey = derived('blob')
    this.fingerprint = hexOf(derived('fingerprint').subarray(0, 8))
  }

  /** The name of an id. */
  of(kind: NameKind, id: string): string {
    const known = `${kind} ${id}`
    const kept = this.#names.get(known)
    if (kept !== undefined) return kept
    const text = encoder.encode(JSON.stringify(id)) // it has halves of surrogate pairs as ASCII
    const tag = this.#tagOf(kind, text)
    const name = toName(tag, this.#mixed(tag, text))
    keep(this.#names, known, name)
    return name
  }

  /** The id of a name. Throws a `StoreError`, `SEAL_BROKEN`, for a text that is no name of this secret. */
  idOf(kind: NameKind, name: string): string {
    const known = `${kind} ${name}`
    const kept = this.#ids.get(known)
    if (kept !== undefined) return kept
    const bytes = fromName(name)
    const tag = bytes.subarray(0, tagLength)
    const text = this.#mixed(tag, bytes.subarray(tagLength))
    if (bytes.length <= tagLength || hexOf(this.#tagOf(kind, text)) !== hexOf(tag)) {
      const message = `A ${kind} in the store has a name that these \`names\` do not open.`
      throw new StoreError(message, { code: 'SEAL_BROKEN' })
    }
    const id = JSON.parse(decoder.decode(text)) as string
    keep(this.#ids, known, id)
    return id
  }

  /** The reference of a blob in the store. It tells nothing of the bytes. */
  refOf(ref: string): string {
    return hexOf(hmac(this.#blobKey, encoder.encode(`ref ${ref}`)))
  }

  /** The key of a blob: who does not know its reference, cannot open it. */
  keyOfBlob(ref: string): Uint8Array {
    return hmac(this.#blobKey, encoder.encode(`key ${ref}`))
  }

  #tagOf(kind: NameKind, text: Uint8Array): Uint8Array {
    return hmac(this.#tagKey, joined(encoder.encode(`${kind} `), text)).subarray(0, tagLength)
  }

  /** The text under a stream that its digest decides; twice is the text again. */
  #mixed(tag: Uint8Array, text: Uint8Array): Uint8Array {
    const mixed = text.slice()
    for (let at = 0; at < mixed.length; at += digestLength) {
      const stream = hmac(this.#textKey, joined(tag, encoder.encode(String(at))))
      for (let of = 0; of < digestLength && at + of < mixed.length; of++) {
        mixed[at + of] = (mixed[at + of] ?? 0) ^ (stream[of] ?? 0)
      }
    }
    return mixed
  }
}

function keep(map: Map<string, string>, key: string, value: string): void {
  if (map.size >= mostKept) map.clear()
  map.set(key, value)
}

/** Base64 for names: no character of it means anything in an address. */
function toName(tag: Uint8Array, text: Uint8Array): string {
  return base64Of(joined(tag, text)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

function fromName(name: string): Uint8Array {
  if (!/^[\w-]*$/.test(name) || name.length % 4 === 1) return new Uint8Array()
  const text = name.replaceAll('-', '+').replaceAll('_', '/')
  return bytesOf(text.padEnd(Math.ceil(text.length / 4) * 4, '='))
}

/** HMAC (RFC 2104) of SHA-256. */
function hmac(key: Uint8Array, bytes: Uint8Array): Uint8Array {
  const block = new Uint8Array(blockLength)
  block.set(key.length > blockLength ? bytesIn(sha256(key)) : key)
  const inner = sha256(
    joined(
      block.map((byte) => byte ^ 0x36),
      bytes,
    ),
  )
  return bytesIn(
    sha256(
      joined(
        block.map((byte) => byte ^ 0x5c),
        bytesIn(inner),
      ),
    ),
  )
}

function joined(head: Uint8Array, rest: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(head.length + rest.length)
  bytes.set(head)
  bytes.set(rest, head.length)
  return bytes
}

function bytesIn(hex: string): Uint8Array {
  return Uint8Array.from({ length: hex.length / 2 }, (_, index) =>
    Number.parseInt(hex.slice(2 * index, 2 * index + 2), 16),
  )
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
